//! Formulas: `a + sqrt(b) * 2`, as `math()` takes them. All numbers are floats of 64 bits.

use crate::error::ValueError;
use crate::limits::{FORMULA_DEPTH_MAX, FORMULA_TERMS_MAX};
use crate::value::Text;

/// A formula, ready to be computed often.
#[derive(Clone, Debug)]
pub struct Formula {
    root: Node,
    names: Vec<Text>,
}

#[derive(Clone, Debug)]
enum Node {
    Number(f64),
    Name(usize),
    Negative(Box<Self>),
    Binary(char, Box<Self>, Box<Self>),
    Call(&'static str, Box<Self>),
}

const FUNCTIONS: [&str; 22] = [
    "abs", "acos", "asin", "atan", "cbrt", "ceil", "cos", "cosh", "exp", "floor", "log", "log10", "log2", "round",
    "signum", "sin", "sinh", "sqrt", "tan", "tanh", "ln", "sign",
];

impl Formula {
    /// Reads a formula: numbers, names, `pi`, `e`, `+ - * / % ^`, brackets, and functions of one number.
    ///
    /// # Errors
    /// What is no formula; more than [`FORMULA_DEPTH_MAX`] levels or [`FORMULA_TERMS_MAX`] terms.
    pub fn parse(text: &str) -> Result<Self, ValueError> {
        let mut parser = Parser { text, rest: text, names: Vec::new(), depth: 0, terms: 0 };
        let root = parser.sum()?;
        if !parser.rest.trim().is_empty() {
            return Err(parser.wrong());
        }
        Ok(Self { root, names: parser.names })
    }

    /// The names in it, each once, in the order of their first appearance.
    #[must_use]
    pub fn names(&self) -> &[Text] {
        &self.names
    }

    /// The result for the values of the names.
    ///
    /// # Errors
    /// A division by zero.
    pub fn compute(&self, values: &[f64]) -> Result<f64, ValueError> {
        compute(&self.root, values)
    }
}

fn wrong(message: String) -> ValueError {
    ValueError::Formula { message }
}

struct Parser<'t> {
    text: &'t str,
    rest: &'t str,
    names: Vec<Text>,
    depth: usize,
    terms: usize,
}

impl Parser<'_> {
    fn wrong(&self) -> ValueError {
        let at = self.text.len() - self.rest.len();
        wrong(format!("math() cannot read the formula '{}' from character {at} on", self.text))
    }

    fn take(&mut self, wanted: &[char]) -> Option<char> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next().filter(|character| wanted.contains(character))?;
        self.rest = self.rest.get(first.len_utf8()..).unwrap_or_default();
        Some(first)
    }

    fn sum(&mut self) -> Result<Node, ValueError> {
        let mut left = self.product()?;
        while let Some(operator) = self.take(&['+', '-']) {
            left = Node::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Node, ValueError> {
        let mut left = self.unary()?;
        while let Some(operator) = self.take(&['*', '/', '%']) {
            left = Node::Binary(operator, Box::new(left), Box::new(self.unary()?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Node, ValueError> {
        self.deeper(|parser| match parser.take(&['-', '+']) {
            Some('-') => Ok(Node::Negative(Box::new(parser.unary()?))),
            Some(_) => parser.unary(),
            None => parser.power(),
        })
    }

    /// A part one level further in.
    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Result<Node, ValueError>) -> Result<Node, ValueError> {
        self.depth += 1;
        if self.depth > FORMULA_DEPTH_MAX {
            return Err(wrong(format!("math() takes formulas of {FORMULA_DEPTH_MAX} levels (FORMULA_DEPTH_MAX)")));
        }
        let node = read(self)?;
        self.depth -= 1;
        Ok(node)
    }

    fn power(&mut self) -> Result<Node, ValueError> {
        let base = self.atom()?;
        if self.take(&['^']).is_some() {
            return Ok(Node::Binary('^', Box::new(base), Box::new(self.unary()?)));
        }
        Ok(base)
    }

    fn atom(&mut self) -> Result<Node, ValueError> {
        self.terms += 1;
        if self.terms > FORMULA_TERMS_MAX {
            return Err(wrong(format!("math() takes formulas of {FORMULA_TERMS_MAX} terms (FORMULA_TERMS_MAX)")));
        }
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
            return Ok(Node::Number(number));
        }
        self.rest = self.rest.get(end..).unwrap_or_default();
        if let Some(function) = FUNCTIONS.iter().find(|function| **function == word) {
            let argument = self.deeper(Self::atom)?;
            return Ok(Node::Call(function, Box::new(argument)));
        }
        match word {
            "pi" | "\u{3c0}" => return Ok(Node::Number(std::f64::consts::PI)),
            "e" => return Ok(Node::Number(std::f64::consts::E)),
            _ => {}
        }
        let at = self.names.iter().position(|name| name == word).unwrap_or_else(|| {
            self.names.push(word.into());
            self.names.len() - 1
        });
        Ok(Node::Name(at))
    }
}

fn compute(node: &Node, values: &[f64]) -> Result<f64, ValueError> {
    Ok(match node {
        Node::Number(number) => *number,
        Node::Name(at) => values.get(*at).copied().unwrap_or(f64::NAN),
        Node::Negative(inner) => -compute(inner, values)?,
        Node::Binary(operator, a, b) => {
            let (a, b) = (compute(a, values)?, compute(b, values)?);
            match operator {
                '+' => a + b,
                '-' => a - b,
                '*' => a * b,
                '/' if b == 0.0 => return Err(wrong("Division by zero!".to_owned())),
                '/' => a / b,
                '%' if b == 0.0 => return Err(wrong("Division by zero!".to_owned())),
                '%' => a % b,
                _ => a.powf(b),
            }
        }
        Node::Call(function, argument) => {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_computed() {
        for (text, wanted) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("-2^2", -4.0),
            ("2^3^2", 512.0),
            ("7 % 4 - 1", 2.0),
            ("sqrt(16) + abs(-1)", 5.0),
            ("1e-2 * 100", 1.0),
            ("signum(0) + sign(-3)", -1.0),
            ("cos(pi)", -1.0),
        ] {
            assert_eq!(Formula::parse(text).unwrap().compute(&[]), Ok(wanted), "{text}");
        }
        let formula = Formula::parse("a + b / a").unwrap();
        assert_eq!(formula.names(), ["a", "b"]);
        assert_eq!(formula.compute(&[2.0, 6.0]), Ok(5.0));
        assert!(formula.compute(&[0.0, 1.0]).is_err());
    }

    #[test]
    fn other_texts_are_refused() {
        let deep = ["(", "sin ", "-"].map(|part| part.repeat(100_000) + "1");
        let long = "1+".repeat(100_000) + "1";
        for text in ["", "1 +", "(1", "1 2", "a b", "1..2", ")", "sqrt", &deep[0], &deep[1], &deep[2], &long] {
            assert!(Formula::parse(text).is_err(), "{text}");
        }
    }
}
