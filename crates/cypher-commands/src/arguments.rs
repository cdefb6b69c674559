//! Arguments of procedures by their places.

use cypher_exec::Error;
use cypher_value::{Detail, Value};

use crate::error::Result;

/// Arguments of a call.
pub(crate) struct Arguments<'a>(pub(crate) &'a [Value]);

fn wrong(at: usize, wanted: &str, value: &Value) -> Error {
    let message = format!("argument {} must be {wanted}, not a {}", at + 1, value.type_name());
    Error::argument(Detail::InvalidArgumentType, message)
}

impl<'a> Arguments<'a> {
    pub(crate) fn get(&self, at: usize) -> &'a Value {
        self.0.get(at).unwrap_or(&Value::Null)
    }

    pub(crate) fn text(&self, at: usize) -> Result<&'a str> {
        match self.get(at) {
            Value::String(text) => Ok(text),
            other => Err(wrong(at, "a STRING", other)),
        }
    }

    /// A text, or null.
    pub(crate) fn optional_text(&self, at: usize) -> Result<Option<&'a str>> {
        if self.get(at).is_null() { Ok(None) } else { self.text(at).map(Some) }
    }

    pub(crate) fn fact(&self, at: usize) -> Result<bool> {
        match self.get(at) {
            Value::Boolean(fact) => Ok(*fact),
            other => Err(wrong(at, "a BOOLEAN", other)),
        }
    }

    pub(crate) fn integer(&self, at: usize) -> Result<Option<i64>> {
        match self.get(at) {
            Value::Null => Ok(None),
            Value::Integer(number) => Ok(Some(*number)),
            other => Err(wrong(at, "an INTEGER", other)),
        }
    }

    pub(crate) fn texts(&self, at: usize) -> Result<Vec<String>> {
        let Value::List(items) = self.get(at) else { return Err(wrong(at, "a LIST", self.get(at))) };
        let text = |item: &Value| match item {
            Value::String(text) => Ok(text.to_string()),
            other => Err(wrong(at, "a LIST of STRINGs", other)),
        };
        items.iter().map(text).collect()
    }
}
