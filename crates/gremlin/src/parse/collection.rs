//! Lists, maps and sets.

use super::Parser;
use crate::error::{Error, ErrorKind};
use crate::token::Kind;
use crate::tree::{Expression, Value};

impl Parser<'_> {
    /// `[1, 2]`, `[a: 1, (T.id): 2]`, `[:]`.
    pub(super) fn list_or_map(&mut self) -> Result<Value, Error> {
        self.expect("[")?;
        if self.accept("]")? {
            return Ok(Value::List(Vec::new()));
        }
        if self.is_sign(":")? && self.is_sign_at(1, "]")? {
            self.next()?;
            self.next()?;
            return Ok(Value::Map(Vec::new()));
        }
        let first = self.key_or_item()?;
        if self.is_sign(":")? {
            return self.map(first);
        }
        let mut items = vec![first];
        while self.accept(",")? {
            // Groovy allows a comma at the end.
            if self.is_sign("]")? {
                break;
            }
            items.push(self.expression()?.into_value());
        }
        if !self.is_sign("]")? {
            return Err(self.unexpected("',' or ']'")?);
        }
        self.next()?;
        Ok(Value::List(items))
    }

    /// The rest of a map after its first key.
    fn map(&mut self, first: Value) -> Result<Value, Error> {
        let mut pairs = Vec::new();
        let mut key = first;
        loop {
            self.expect(":")?;
            pairs.push((key, self.expression()?.into_value()));
            if !self.accept(",")? || self.is_sign("]")? {
                break;
            }
            key = self.key_or_item()?;
        }
        if !self.is_sign("]")? {
            return Err(self.unexpected("',' or ']'")?);
        }
        self.next()?;
        Ok(Value::Map(pairs))
    }

    /// A bare name before a colon is a text; everything else is an expression.
    fn key_or_item(&mut self) -> Result<Value, Error> {
        if let (Some(name), true) = (self.name_at(0)?, self.is_sign_at(1, ":")?) {
            self.next()?;
            return Ok(Value::Text(name));
        }
        self.expression().map(Expression::into_value)
    }

    /// `{1, 2}`. In Groovy braces are a closure, which is refused by its name.
    pub(super) fn set(&mut self) -> Result<Value, Error> {
        if self.is_closure()? {
            return Err(self.unsupported("a closure")?);
        }
        let open = self.expect("{")?;
        let mut items = Vec::new();
        while !self.is_sign("}")? {
            items.push(self.expression()?.into_value());
            if !self.accept(",")? && !self.is_sign("}")? {
                // Statements, most likely.
                return Err(Error::at(ErrorKind::Unsupported { construct: "a closure".to_owned() }, open));
            }
        }
        self.next()?;
        Ok(Value::Set(items))
    }

    /// Whether the braces that come next have parameters or use the implied one.
    fn is_closure(&mut self) -> Result<bool, Error> {
        if self.name_at(1)?.is_some_and(|name| name == "it") || self.is_sign_at(1, "->")? {
            return Ok(true);
        }
        // Parameters are names with commas between them; a few are looked at.
        for distance in 1..8 {
            match &self.peek_at(distance)?.kind {
                Kind::Sign("->") => return Ok(true),
                Kind::Name(_) | Kind::Sign(",") => {}
                _ => return Ok(false),
            }
        }
        Ok(false)
    }
}
