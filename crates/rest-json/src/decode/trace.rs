//! Where in a body the reader is, and what it objected to: the parser's own errors know only line and column.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use serde::de::{self, DeserializeSeed};
use serde_json::error::Category;

use crate::DecodeError;
use crate::limits::QUOTED_CHARS_MAX;

/// The reader's position and its own error, which goes around the parser's error type.
#[derive(Default)]
pub(crate) struct Trace {
    index: Cell<Option<usize>>,
    field: Cell<Option<&'static str>>,
    failure: RefCell<Option<DecodeError>>,
}

impl Trace {
    /// Reads a whole body.
    pub(crate) fn read<'de, S: DeserializeSeed<'de>>(&self, body: &'de [u8], seed: S) -> Result<S::Value, DecodeError> {
        let text = text(body)?;
        let mut parser = serde_json::Deserializer::from_str(text);
        let value = seed.deserialize(&mut parser).map_err(|error| self.explain(&error))?;
        parser.end().map_err(|error| self.explain(&error))?;
        Ok(value)
    }

    /// Says that the element at `index` comes next.
    pub(crate) fn enter(&self, index: usize) {
        self.index.set(Some(index));
    }

    /// Says that the list is read and what follows is outside of it.
    pub(crate) fn leave(&self) {
        self.index.set(None);
    }

    /// The element being read, in a list.
    pub(crate) fn index(&self) -> Option<usize> {
        self.index.get()
    }

    /// Reads the value of a field.
    pub(crate) fn within<T, E>(&self, field: &'static str, read: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
        self.field.set(Some(field));
        let value = read()?;
        self.field.set(None);
        Ok(value)
    }

    /// Notes an error of the reader; the returned one only makes the parser stop.
    pub(crate) fn fail<E: de::Error>(&self, error: DecodeError) -> E {
        self.failure.replace(Some(error));
        E::custom("stopped")
    }

    /// The position in words: `[3].properties`.
    pub(crate) fn place(&self) -> String {
        match (self.index.get(), self.field.get()) {
            (Some(index), Some(field)) => format!("[{index}].{field}"),
            (Some(index), None) => format!("[{index}]"),
            (None, Some(field)) => field.to_owned(),
            (None, None) => "the body".to_owned(),
        }
    }

    fn explain(&self, error: &serde_json::Error) -> DecodeError {
        self.failure.take().unwrap_or_else(|| explain(error, || self.place()))
    }
}

/// The body as text, without the byte order mark that some editors and shells put before it.
pub(crate) fn text(body: &[u8]) -> Result<&str, DecodeError> {
    let text = std::str::from_utf8(body).map_err(|error| DecodeError::NotUtf8 { offset: error.valid_up_to() })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_ascii().is_empty() { Err(DecodeError::Empty) } else { Ok(text) }
}

/// The parser's error as ours.
pub(crate) fn explain(error: &serde_json::Error, place: impl FnOnce() -> String) -> DecodeError {
    let (line, column) = (error.line(), error.column());
    let text = error.to_string();
    let words = text.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&text);
    let words = in_terms_of_json(words);
    let mut reason: String = words.chars().take(QUOTED_CHARS_MAX).collect();
    if reason.len() < words.len() {
        reason.push_str("...");
    }
    match error.classify() {
        Category::Data => DecodeError::WrongType { place: place(), reason, line, column },
        Category::Syntax | Category::Eof | Category::Io => DecodeError::Malformed { reason, line, column },
    }
}

/// `invalid type: sequence, expected a string`, the words of the parser's library, as `expected a string, but got an
/// array`.
fn in_terms_of_json(words: &str) -> Cow<'_, str> {
    let Some((got, expected)) = words.strip_prefix("invalid type: ").and_then(|rest| rest.rsplit_once(", expected "))
    else {
        return Cow::Borrowed(words);
    };
    let named = |kind| match kind {
        "sequence" | "a sequence" => "an array",
        "map" | "a map" => "an object",
        other => other,
    };
    Cow::Owned(format!("expected {}, but got {}", named(expected), named(got)))
}
