//! The parser: scripts to statements.
//!
//! Recursive descent with one function for each form. [`crate::parse()`] holds the tokens and the statements,
//! [`expression`] what can stand where a value can, [`chain`] the calls after it.

use crate::error::{Error, ErrorKind, Span};
use crate::script::{Script, Statement, Target};
use crate::tree::{Expression, Value};
use query_value::Text;
mod chain;
mod collection;
mod expression;

use std::collections::{BTreeSet, VecDeque};

use crate::limits::{NESTING_MAX, SCRIPT_BYTES_MAX};
use crate::names;
use crate::token::{Kind, Lexer, Token};

/// Parses a script. `variables` are the names bound by the request; each stands for its value even where it is also the
/// name of a constant.
///
/// # Errors
/// What is wrong and where, with line and column.
pub fn parse<'n>(script: &str, variables: impl IntoIterator<Item = &'n str>) -> Result<Script, Error> {
    if script.len() > SCRIPT_BYTES_MAX {
        let kind = ErrorKind::TooLarge { what: "bytes of a script", limit: "SCRIPT_BYTES_MAX", max: SCRIPT_BYTES_MAX };
        return Err(kind.into());
    }
    let mut parser = Parser {
        lexer: Lexer::new(script),
        ahead: VecDeque::new(),
        last: Span::default(),
        depth: 0,
        variables: variables.into_iter().map(Text::from).collect(),
        is_strategies: false,
    };
    parser.script().map_err(|error| error.located(script))
}

struct Parser<'s> {
    lexer: Lexer<'s>,
    /// Tokens that were looked at and not taken.
    ahead: VecDeque<Token>,
    /// Where the last token taken stands.
    last: Span,
    depth: usize,
    /// Names that stand for values: those bound by the request and those assigned so far.
    variables: BTreeSet<Text>,
    /// Whether any bare name, with or without options, is a strategy.
    is_strategies: bool,
}

impl Parser<'_> {
    fn peek_at(&mut self, distance: usize) -> Result<&Token, Error> {
        while self.ahead.len() <= distance {
            let token = self.lexer.token()?;
            self.ahead.push_back(token);
        }
        // The loop above has filled it so far.
        self.ahead.get(distance).ok_or_else(|| ErrorKind::NotClosed { what: "the script" }.into())
    }

    fn peek(&mut self) -> Result<&Token, Error> {
        self.peek_at(0)
    }

    fn next(&mut self) -> Result<Token, Error> {
        let token = match self.ahead.pop_front() {
            Some(token) => token,
            None => self.lexer.token()?,
        };
        self.last = token.span;
        Ok(token)
    }

    fn is_sign(&mut self, sign: &str) -> Result<bool, Error> {
        Ok(matches!(self.peek()?.kind, Kind::Sign(found) if found == sign))
    }

    fn is_sign_at(&mut self, distance: usize, sign: &str) -> Result<bool, Error> {
        Ok(matches!(self.peek_at(distance)?.kind, Kind::Sign(found) if found == sign))
    }

    /// Takes a sign if it comes next.
    fn accept(&mut self, sign: &str) -> Result<bool, Error> {
        let is_next = self.is_sign(sign)?;
        if is_next {
            self.next()?;
        }
        Ok(is_next)
    }

    fn expect(&mut self, sign: &str) -> Result<Span, Error> {
        if self.is_sign(sign)? { Ok(self.next()?.span) } else { Err(self.unexpected(&format!("'{sign}'"))?) }
    }

    fn name_at(&mut self, distance: usize) -> Result<Option<Text>, Error> {
        Ok(if let Kind::Name(name) = &self.peek_at(distance)?.kind { Some(name.clone()) } else { None })
    }

    fn expect_name(&mut self, expected: &str) -> Result<Text, Error> {
        match self.name_at(0)? {
            Some(name) => {
                self.next()?;
                Ok(name)
            }
            None => Err(self.unexpected(expected)?),
        }
    }

    /// The error that the next token is not what could stand there.
    fn unexpected(&mut self, expected: &str) -> Result<Error, Error> {
        let token = self.peek()?;
        let kind = ErrorKind::Unexpected { found: token.kind.describe(), expected: expected.to_owned() };
        Ok(Error::at(kind, token.span))
    }

    /// The error that the construct at the next token is a part of Groovy that is never run.
    fn unsupported(&mut self, construct: impl Into<String>) -> Result<Error, Error> {
        let span = self.peek()?.span;
        Ok(Error::at(ErrorKind::Unsupported { construct: construct.into() }, span))
    }

    /// Goes a level deeper for one form.
    fn nested<V>(&mut self, form: impl FnOnce(&mut Self) -> Result<V, Error>) -> Result<V, Error> {
        if self.depth >= NESTING_MAX {
            let kind = ErrorKind::TooLarge { what: "nested expressions", limit: "NESTING_MAX", max: NESTING_MAX };
            return Err(Error::at(kind, self.peek()?.span));
        }
        self.depth += 1;
        let result = form(self);
        self.depth -= 1;
        result
    }

    fn script(&mut self) -> Result<Script, Error> {
        let mut statements = Vec::new();
        loop {
            while self.accept(";")? {}
            if self.peek()?.kind == Kind::End {
                return Ok(Script { statements });
            }
            statements.push(self.statement()?);
            self.end_of_statement()?;
        }
    }

    /// A statement ends at a semicolon, a line's end, the script's end, or where another traversal starts.
    fn end_of_statement(&mut self) -> Result<(), Error> {
        let token = self.peek()?;
        let is_end = token.after_newline
            || match &token.kind {
                Kind::End | Kind::Sign(";") => true,
                Kind::Name(name) => name == "g",
                _ => false,
            };
        if is_end { Ok(()) } else { Err(self.unexpected("'.', ';' or the end")?) }
    }

    fn statement(&mut self) -> Result<Statement, Error> {
        let Some(first) = self.name_at(0)? else { return self.expression_statement() };
        if self.variables.contains(&first) {
            return self.expression_statement();
        }
        if names::is_groovy_keyword(&first) {
            return Err(self.unsupported(format!("'{first}'"))?);
        }
        if first == "return" {
            self.next()?;
            let token = self.peek()?;
            let is_empty = token.after_newline || matches!(token.kind, Kind::End | Kind::Sign(";"));
            let value = if is_empty { Expression::Value(Value::Null) } else { self.expression()? };
            return Ok(Statement::Return(value));
        }
        // `def x`, `String x = ..`; a type alone on its line is a name.
        let is_operator = |name: &Text| matches!(name.as_str(), "as" | "in" | "instanceof");
        let second = self.name_at(1)?.filter(|second| !is_operator(second) && first != "new");
        let is_declaration = second.is_some() && !self.peek_at(1)?.after_newline;
        if is_declaration {
            let is_function = self.is_sign_at(2, "(")?;
            let is_query = second.is_some_and(|name| name == "g") && !self.is_sign_at(2, "=")?;
            if is_function {
                return Err(self.unsupported("the definition of a function")?);
            }
            if !is_query {
                self.next()?;
                return self.declaration();
            }
        }
        self.expression_statement()
    }

    fn declaration(&mut self) -> Result<Statement, Error> {
        let name = self.expect_name("the name of a variable")?;
        let value = if self.accept("=")? { self.expression()? } else { Expression::Value(Value::Null) };
        self.variables.insert(name.clone());
        Ok(Statement::Assign { target: Target::Variable(name), value })
    }

    fn expression_statement(&mut self) -> Result<Statement, Error> {
        // Not every name that can be assigned to can be read: `label = ..`.
        if let (Some(name), true) = (self.name_at(0)?, self.is_sign_at(1, "=")?) {
            self.next()?;
            self.next()?;
            let value = self.expression()?;
            self.variables.insert(name.clone());
            return Ok(Statement::Assign { target: Target::Variable(name), value });
        }
        let expression = self.expression()?;
        if !self.is_sign("=")? {
            return Ok(Statement::Expression(expression));
        }
        let Expression::Entry(target, key) = expression else {
            return Err(self.unsupported(format!("an assignment to {}", expression.kind()))?);
        };
        self.next()?;
        let value = self.expression()?;
        Ok(Statement::Assign { target: Target::Entry(*target, key), value })
    }
}
