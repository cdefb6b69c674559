//! Chains of calls: steps, terminal methods, schema calls, methods of results.

use super::Parser;
use crate::error::{Error, ErrorKind, Span};
use crate::limits::NESTING_MAX;
use crate::method::{Method, Source, Terminal, TransactionCall};
use crate::names;
use crate::token::{Kind, shorten};
use crate::tree::{Bytecode, Call, Expression, Instruction, Predicate, Query, Value};
use query_value::Text;

impl Parser<'_> {
    /// `(a, b)`.
    pub(super) fn arguments(&mut self) -> Result<Vec<Value>, Error> {
        self.expect("(")?;
        let mut arguments = Vec::new();
        while !self.is_sign(")")? {
            // Entries of a map as arguments, `f(a: 1)`, are a form of Groovy's only.
            if self.name_at(0)?.is_some() && self.is_sign_at(1, ":")? {
                return Err(self.unsupported("a named argument")?);
            }
            arguments.push(self.expression()?.into_value());
            if !self.accept(",")? {
                break;
            }
            if self.is_sign(")")? {
                return Err(self.unexpected("an argument")?);
            }
        }
        if !self.is_sign(")")? {
            return Err(self.unexpected("',' or ')'")?);
        }
        self.next()?;
        Ok(arguments)
    }

    /// The arguments of a step, and no closure after them.
    pub(super) fn step_arguments(&mut self) -> Result<Vec<Value>, Error> {
        let arguments = self.arguments()?;
        if self.is_sign("{")? && !self.peek()?.after_newline {
            return Err(self.unsupported("a closure")?);
        }
        Ok(arguments)
    }

    /// Takes `.name` if it comes next and a call follows.
    fn accept_call(&mut self) -> Result<Option<(Text, Span)>, Error> {
        if !self.is_sign(".")? {
            return Ok(None);
        }
        self.next()?;
        let name = self.expect_name("the name of a step or a method")?;
        let span = self.last;
        if self.is_sign("{")? && !self.peek()?.after_newline {
            return Err(self.unsupported("a closure")?);
        }
        if !self.is_sign("(")? {
            return Err(self.unexpected("'('")?);
        }
        Ok(Some((name, span)))
    }

    fn instruction(&mut self, name: Text, span: Span) -> Result<Instruction, Error> {
        self.is_strategies = matches!(name.as_str(), "withStrategies" | "withoutStrategies");
        let arguments = self.step_arguments();
        self.is_strategies = false;
        let arguments = arguments?;
        Ok(Instruction { name, arguments, span: Some(span.to(self.last)) })
    }

    /// The calls after `__`.
    pub(super) fn anonymous(&mut self) -> Result<Expression, Error> {
        let steps = self.anonymous_steps(Vec::new())?;
        Ok(Expression::Value(Value::Bytecode(Box::new(Bytecode { source: Vec::new(), steps }))))
    }

    /// The calls after a first step without `__`.
    pub(super) fn anonymous_after(
        &mut self,
        name: &str,
        arguments: Vec<Value>,
        span: Span,
    ) -> Result<Expression, Error> {
        let first = Instruction { name: name.into(), arguments, span: Some(span.to(self.last)) };
        let steps = self.anonymous_steps(vec![first])?;
        Ok(Expression::Value(Value::Bytecode(Box::new(Bytecode { source: Vec::new(), steps }))))
    }

    fn anonymous_steps(&mut self, mut steps: Vec<Instruction>) -> Result<Vec<Instruction>, Error> {
        while let Some((name, span)) = self.accept_call()? {
            if !crate::tree::step::is_step(&name) {
                let kind = if names::is_terminal(&name) {
                    ErrorKind::Method { name: name.to_string(), target: "a traversal without a source" }
                } else {
                    ErrorKind::UnknownStep { name: shorten(&name) }
                };
                return Err(Error::at(kind, span));
            }
            steps.push(self.instruction(name, span)?);
        }
        Ok(steps)
    }

    /// The calls after a traversal source.
    pub(super) fn source_calls(&mut self, source: Source) -> Result<Expression, Error> {
        let start = self.last;
        let mut bytecode = Bytecode::default();
        let mut terminal = None;
        // `toString()` is a method of any result.
        while !(self.is_sign(".")? && self.name_at(1)?.is_some_and(|name| name == "toString")) {
            let Some((name, span)) = self.accept_call()? else { break };
            if bytecode.steps.is_empty() && name == "tx" {
                return self.transaction(source);
            }
            if bytecode.steps.is_empty() && names::is_source_method(&name) {
                let call = self.instruction(name, span)?;
                bytecode.source.push(call);
            } else if bytecode.steps.is_empty() && !names::is_start_method(&name) {
                if !crate::tree::step::is_step(&name) && !names::is_terminal(&name) {
                    return Err(Error::at(ErrorKind::UnknownStep { name: shorten(&name) }, span));
                }
                let expected = "a method of a traversal source, such as V()".to_owned();
                let found = format!("{}()", shorten(&name));
                return Err(Error::at(ErrorKind::Unexpected { found, expected }, span));
            } else if names::is_terminal(&name) {
                terminal = Some(self.terminal(&name, span)?);
                break;
            } else if crate::tree::step::is_step(&name) {
                let call = self.instruction(name, span)?;
                bytecode.steps.push(call);
            } else {
                return Err(Error::at(ErrorKind::UnknownStep { name: shorten(&name) }, span));
            }
        }
        let span = start.to(self.last);
        Ok(Expression::Query(Box::new(Query { source, bytecode, terminal, span })))
    }

    fn terminal(&mut self, name: &str, span: Span) -> Result<Terminal, Error> {
        let arguments = self.arguments()?;
        let terminal = match (name, arguments.as_slice()) {
            ("next", []) => Some(Terminal::Next(None)),
            ("next", [count]) => count.as_i64().map(|count| Terminal::Next(Some(count))),
            ("toList", []) => Some(Terminal::ToList),
            ("toSet", []) => Some(Terminal::ToSet),
            ("toBulkSet", []) => Some(Terminal::ToBulkSet),
            ("iterate", []) => Some(Terminal::Iterate),
            ("hasNext", []) => Some(Terminal::HasNext),
            ("tryNext", []) => Some(Terminal::TryNext),
            ("explain", []) => Some(Terminal::Explain),
            _ => None,
        };
        let wrong = || ErrorKind::Argument {
            step: name.to_owned(),
            index: 1,
            expected: if name == "next" { "an integer" } else { "no arguments" },
            found: arguments.first().map_or("none", Value::kind).to_owned(),
        };
        terminal.ok_or_else(|| Error::at(wrong(), span.to(self.last)))
    }

    /// `.commit()` after `tx`, whose parentheses come next.
    fn transaction(&mut self, source: Source) -> Result<Expression, Error> {
        self.expect("(")?;
        self.expect(")")?;
        let Some((name, span)) = self.accept_call()? else { return Err(self.unexpected("'.commit()'")?) };
        let call = match name.as_str() {
            "begin" | "open" => TransactionCall::Begin,
            "commit" => TransactionCall::Commit,
            "rollback" => TransactionCall::Rollback,
            "isOpen" => TransactionCall::IsOpen,
            _ => return Err(Error::at(ErrorKind::Method { name: shorten(&name), target: "a transaction" }, span)),
        };
        self.expect("(")?;
        self.expect(")")?;
        Ok(Expression::Transaction(source, call))
    }

    /// The calls on a graph's schema, after the graph's name.
    pub(super) fn schema(&mut self, graph: Text) -> Result<Expression, Error> {
        self.accept_call()?;
        self.expect("(")?;
        self.expect(")")?;
        self.schema_calls(graph, Vec::new())
    }

    /// The calls on a schema after the first ones.
    fn schema_calls(&mut self, graph: Text, mut calls: Vec<Call>) -> Result<Expression, Error> {
        while let Some((name, span)) = self.accept_call()? {
            if !names::is_schema_method(&name) {
                return Err(Error::at(ErrorKind::Method { name: shorten(&name), target: "a schema" }, span));
            }
            let arguments = self.arguments()?;
            calls.push(Call { name, arguments, span: span.to(self.last) });
        }
        Ok(Expression::Schema { graph, calls })
    }

    /// Members and entries after an expression.
    pub(super) fn postfix(&mut self, first: Expression) -> Result<Expression, Error> {
        let mut expression = first;
        for _ in 0..NESTING_MAX {
            let token = self.peek()?;
            let after_newline = token.after_newline;
            match token.kind {
                Kind::Sign(".") => {}
                Kind::Sign("[") if !after_newline && has_entries(&expression) => {
                    self.next()?;
                    let key = self.expression()?.into_value();
                    self.expect("]")?;
                    expression = Expression::Entry(Box::new(expression), key);
                    continue;
                }
                _ => return Ok(expression),
            }
            expression = self.member_of(expression)?;
        }
        let kind = ErrorKind::TooLarge { what: "calls after an expression", limit: "NESTING_MAX", max: NESTING_MAX };
        Err(Error::at(kind, self.last))
    }

    fn member_of(&mut self, target: Expression) -> Result<Expression, Error> {
        let is_call = self.is_sign_at(2, "(")?;
        if !is_call && has_entries(&target) {
            self.next()?;
            let name = self.expect_name("a key or the name of a method")?;
            return Ok(Expression::Entry(Box::new(target), Value::Text(name)));
        }
        let Some((name, span)) = self.accept_call()? else { return Ok(target) };
        let target = match target {
            Expression::Value(Value::Predicate(predicate)) => return self.connective(*predicate, &name, span),
            other => other,
        };
        if let Expression::Variable(variable) = &target
            && Method::from_name(&name).is_none()
            && names::is_schema_method(&name)
        {
            // What the variable holds is for the execution to say.
            let arguments = self.arguments()?;
            let call = Call { name, arguments, span: span.to(self.last) };
            return self.schema_calls(variable.clone(), vec![call]);
        }
        let Some(method) = Method::from_name(&name).filter(|_| !matches!(target, Expression::Transaction(..))) else {
            return Err(Error::at(ErrorKind::Method { name: shorten(&name), target: target.kind() }, span));
        };
        let arguments = self.step_arguments()?;
        let span = span.to(self.last);
        Ok(Expression::Method { target: Box::new(target), method, arguments, span })
    }

    /// `.and(P)`, `.or(P)` and `.negate()` after a predicate.
    fn connective(&mut self, first: Predicate, name: &str, span: Span) -> Result<Expression, Error> {
        let mut arguments = self.arguments()?;
        let predicate = match (name, arguments.pop(), arguments.is_empty()) {
            ("negate", None, _) => first.negated(),
            ("and", Some(Value::Predicate(second)), true) => Predicate::and(vec![first, *second]),
            ("or", Some(Value::Predicate(second)), true) => Predicate::or(vec![first, *second]),
            ("and" | "or", found, _) => {
                let found = found.as_ref().map_or("none", Value::kind).to_owned();
                let kind = ErrorKind::Argument { step: name.to_owned(), index: 1, expected: "a predicate", found };
                return Err(Error::at(kind, span));
            }
            _ => return Err(Error::at(ErrorKind::Method { name: shorten(name), target: "a predicate" }, span)),
        };
        Ok(Expression::Value(Value::Predicate(Box::new(predicate))))
    }
}

/// Whether `x.k` and `x[k]` are entries of what the expression yields.
fn has_entries(expression: &Expression) -> bool {
    match expression {
        Expression::Variable(_) | Expression::Method { .. } | Expression::Entry(..) | Expression::Query(_) => true,
        Expression::Value(value) => matches!(value, Value::List(_) | Value::Map(_)),
        Expression::Transaction(..) | Expression::Schema { .. } => false,
    }
}
