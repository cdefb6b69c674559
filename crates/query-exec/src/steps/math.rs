//! Formulas and formats: texts with names of values in them.

use query_plan::{By, Text};
use query_value::{Pop, Value};

use super::each::each;
use crate::by::{ByEval, by_turn, property, scoped};
use crate::context::{Build, Cx, Stage};
use crate::error::{ExecError, Result};
use crate::semantics;
use crate::traverser::Traverser;

/// Levels of brackets and functions in a formula: reading and computing it recurse.
const FORMULA_DEPTH_MAX: usize = 64;

/// A formula.
#[derive(Clone, Debug)]
enum Formula {
    Number(f64),
    Name(usize),
    Negative(Box<Formula>),
    Binary(char, Box<Formula>, Box<Formula>),
    Call(&'static str, Box<Formula>),
}

const FUNCTIONS: [&str; 22] = [
    "abs", "acos", "asin", "atan", "cbrt", "ceil", "cos", "cosh", "exp", "floor", "log", "log10", "log2", "round",
    "signum", "sin", "sinh", "sqrt", "tan", "tanh", "ln", "sign",
];

pub(super) fn stage<'g>(formula: &Text, by: &[By], build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let mut parser = Parser { text: formula, rest: formula, names: Vec::new(), depth: 0 };
    let tree = parser.sum()?;
    if !parser.rest.trim().is_empty() {
        return Err(parser.wrong());
    }
    let (names, mut by) = (parser.names, ByEval::all(by, build)?);
    Ok(each(false, move |cx, traverser, out| {
        let mut values = Vec::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            let value = if name == "_" {
                Some(traverser.value.clone())
            } else {
                Some(
                    scoped(cx, Some(Pop::Last), name, &traverser)?
                        .ok_or_else(|| ExecError::evaluation(format!("math() has no value for the variable {name}")))?,
                )
            };
            let Some(value) = value else { return Ok(()) };
            let Some(value) = by_turn(&mut by, at, cx, &traverser, value)? else { return Ok(()) };
            values.push(semantics::as_f64(&value).ok_or_else(|| {
                let class = value.class_name();
                ExecError::evaluation(format!(
                    "The variable {name} for math() step must resolve to a Number - it is instead of type {class}"
                ))
            })?);
        }
        let result = compute(&tree, &values)?;
        out.push(traverser.with(Value::Double(result)));
        Ok(())
    }))
}

struct Parser<'t> {
    text: &'t str,
    rest: &'t str,
    names: Vec<Text>,
    depth: usize,
}

impl Parser<'_> {
    fn wrong(&self) -> ExecError {
        let at = self.text.len() - self.rest.len();
        ExecError::evaluation(format!("math() cannot read the formula '{}' from character {at} on", self.text))
    }

    fn take(&mut self, wanted: &[char]) -> Option<char> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next().filter(|character| wanted.contains(character))?;
        self.rest = self.rest.get(first.len_utf8()..).unwrap_or_default();
        Some(first)
    }

    fn sum(&mut self) -> Result<Formula> {
        let mut left = self.product()?;
        while let Some(operator) = self.take(&['+', '-']) {
            left = Formula::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Formula> {
        let mut left = self.unary()?;
        while let Some(operator) = self.take(&['*', '/', '%']) {
            left = Formula::Binary(operator, Box::new(left), Box::new(self.unary()?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Formula> {
        self.depth += 1;
        if self.depth > FORMULA_DEPTH_MAX {
            let message = format!("math() takes formulas of {FORMULA_DEPTH_MAX} levels (FORMULA_DEPTH_MAX)");
            return Err(ExecError::evaluation(message));
        }
        let result = match self.take(&['-', '+']) {
            Some('-') => Formula::Negative(Box::new(self.unary()?)),
            Some(_) => self.unary()?,
            None => self.power()?,
        };
        self.depth -= 1;
        Ok(result)
    }

    fn power(&mut self) -> Result<Formula> {
        let base = self.atom()?;
        if self.take(&['^']).is_some() {
            return Ok(Formula::Binary('^', Box::new(base), Box::new(self.unary()?)));
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Formula> {
        if self.take(&['(']).is_some() {
            let inner = self.sum()?;
            return if self.take(&[')']).is_some() { Ok(inner) } else { Err(self.wrong()) };
        }
        self.rest = self.rest.trim_start();
        let is_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.');
        let mut end = self.rest.find(|character| !is_name(character)).unwrap_or(self.rest.len());
        let word = self.rest.get(..end).unwrap_or_default();
        let starts_as_number = word.starts_with(|character: char| character.is_ascii_digit() || character == '.');
        // The exponent of a number may have a sign.
        if starts_as_number
            && word.ends_with(['e', 'E'])
            && self.rest.get(end..).is_some_and(|rest| rest.starts_with('-'))
        {
            let rest = self.rest.get(end + 1..).unwrap_or_default();
            end += 1 + rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
        }
        let word = self.rest.get(..end).unwrap_or_default();
        if word.is_empty() {
            return Err(self.wrong());
        }
        if starts_as_number {
            let number = word.parse().map_err(|_| self.wrong())?;
            self.rest = self.rest.get(end..).unwrap_or_default();
            return Ok(Formula::Number(number));
        }
        self.rest = self.rest.get(end..).unwrap_or_default();
        if let Some(function) = FUNCTIONS.iter().find(|function| **function == word) {
            let argument = self.atom()?;
            return Ok(Formula::Call(function, Box::new(argument)));
        }
        match word {
            "pi" | "\u{3c0}" => return Ok(Formula::Number(std::f64::consts::PI)),
            "e" => return Ok(Formula::Number(std::f64::consts::E)),
            _ => {}
        }
        let at = self.names.iter().position(|name| name == word).unwrap_or_else(|| {
            self.names.push(word.into());
            self.names.len() - 1
        });
        Ok(Formula::Name(at))
    }
}

fn compute(formula: &Formula, values: &[f64]) -> Result<f64> {
    Ok(match formula {
        Formula::Number(number) => *number,
        Formula::Name(at) => values.get(*at).copied().unwrap_or(f64::NAN),
        Formula::Negative(inner) => -compute(inner, values)?,
        Formula::Binary(operator, a, b) => {
            let (a, b) = (compute(a, values)?, compute(b, values)?);
            match operator {
                '+' => a + b,
                '-' => a - b,
                '*' => a * b,
                '/' if b == 0.0 => return Err(ExecError::evaluation("Division by zero!")),
                '/' => a / b,
                '%' if b == 0.0 => return Err(ExecError::evaluation("Division by zero!")),
                '%' => a % b,
                _ => a.powf(b),
            }
        }
        Formula::Call(function, argument) => {
            let x = compute(argument, values)?;
            match *function {
                "abs" => x.abs(),
                "acos" => x.acos(),
                "asin" => x.asin(),
                "atan" => x.atan(),
                "cbrt" => x.cbrt(),
                "ceil" => x.ceil(),
                "cos" => x.cos(),
                "cosh" => x.cosh(),
                "exp" => x.exp(),
                "floor" => x.floor(),
                "log" | "ln" => x.ln(),
                "log10" => x.log10(),
                "log2" => x.log2(),
                "round" => x.round(),
                "sin" => x.sin(),
                "sinh" => x.sinh(),
                "sqrt" => x.sqrt(),
                "tan" => x.tan(),
                "tanh" => x.tanh(),
                _ => {
                    if x == 0.0 {
                        0.0
                    } else {
                        x.signum()
                    }
                }
            }
        }
    })
}

/// A text with `%{name}` for values.
pub(super) fn format<'g>(format: &Text, by: &[By], build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    let mut parts: Vec<(String, Option<Text>)> = Vec::new();
    let mut rest = format.as_str();
    while let Some(start) = rest.find("%{") {
        let (before, after) = (rest.get(..start).unwrap_or_default(), rest.get(start + 2..).unwrap_or_default());
        let Some(end) = after.find('}') else { break };
        parts.push((before.to_owned(), Some(after.get(..end).unwrap_or_default().into())));
        rest = after.get(end + 1..).unwrap_or_default();
    }
    parts.push((rest.to_owned(), None));
    let mut by = ByEval::all(by, build)?;
    Ok(each(true, move |cx, traverser, out| {
        let mut text = String::new();
        let mut turn = 0;
        for (before, name) in &parts {
            text.push_str(before);
            let Some(name) = name else { continue };
            let Some(value) = named(cx, name, &traverser, &mut by, &mut turn)? else { return Ok(()) };
            text.push_str(&semantics::text(&value));
        }
        out.push(traverser.with(Value::from(text)));
        Ok(())
    }))
}

/// A value for a format: by a modulator, of a property, or of a label.
fn named<'g>(
    cx: &mut Cx<'g>,
    name: &Text,
    traverser: &Traverser,
    by: &mut [ByEval<'g>],
    turn: &mut usize,
) -> Result<Option<Value>> {
    if name == "_" {
        let at = *turn;
        *turn += 1;
        return by_turn(by, at, cx, traverser, traverser.value.clone());
    }
    if matches!(traverser.value, Value::Vertex(_) | Value::Edge(_) | Value::VertexProperty(_))
        && let Some(value) = property(cx, name, &traverser.value, traverser.stored.as_ref())?
    {
        return Ok(Some(value));
    }
    scoped(cx, Some(Pop::Last), name, traverser)
}
