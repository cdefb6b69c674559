//! Which names stand for what.

use std::collections::HashMap;

use cypher_value::Detail;

use super::Type;
use crate::ast::Name;
use crate::error::{Error, Result, Span};

/// Names with their types, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    names: HashMap<String, Type>,
    order: Vec<String>,
}

impl Scope {
    pub(super) fn get(&self, name: &str) -> Option<&Type> {
        self.names.get(name)
    }

    pub(super) fn set(&mut self, name: &str, of: Type) {
        if self.names.insert(name.to_owned(), of).is_none() {
            self.order.push(name.to_owned());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = (&str, &Type)> {
        self.order.iter().filter_map(|name| self.names.get(name).map(|of| (name.as_str(), of)))
    }

    /// Adds a name that must be new.
    pub(super) fn add(&mut self, name: &Name, of: Type) -> Result<()> {
        if self.names.contains_key(&name.text) {
            return Err(already_bound(name));
        }
        self.set(&name.text, of);
        Ok(())
    }

    /// The type of a name that must be there.
    pub(super) fn want(&self, name: &str, span: Span) -> Result<&Type> {
        self.get(name).ok_or_else(|| undefined(name, span))
    }
}

pub(super) fn undefined(name: &str, span: Span) -> Error {
    Error::syntax(Detail::UndefinedVariable, span, format!("Variable `{name}` not defined"))
}

pub(super) fn already_bound(name: &Name) -> Error {
    Error::syntax(Detail::VariableAlreadyBound, name.span, format!("Variable `{}` already declared", name.text))
}

pub(super) fn conflict(name: &Name, wanted: &str, got: &Type) -> Error {
    let message = format!("Type mismatch: `{}` is a {} here, but {wanted} is expected", name.text, got.name());
    Error::syntax(Detail::VariableTypeConflict, name.span, message)
}

pub(super) fn wrong_type(span: Span, wanted: &str, got: &Type) -> Error {
    let message = format!("Type mismatch: expected {wanted} but was {}", got.name());
    Error::syntax(Detail::InvalidArgumentType, span, message)
}
