//! What is wrong with a query, and where.

use cypher_value::{Detail, ErrorKind};

/// Bytes of a text, from the first to the one behind the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
}

impl Span {
    /// From the start of one to the end of another.
    #[must_use]
    pub fn to(self, end: Self) -> Self {
        Self { start: self.start, end: end.end }
    }
}

/// What is wrong with a query, found before it runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Its kind.
    pub kind: ErrorKind,
    /// Its detail.
    pub detail: Detail,
    /// What is wrong, fit for the user.
    pub message: String,
    /// Where in the text.
    pub span: Span,
}

/// What reading a query gives.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of a kind.
    #[must_use]
    pub fn new(kind: ErrorKind, detail: Detail, span: Span, message: impl Into<String>) -> Self {
        Self { kind, detail, message: message.into(), span }
    }

    /// A [`ErrorKind::SyntaxError`].
    #[must_use]
    pub fn syntax(detail: Detail, span: Span, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::SyntaxError, detail, span, message)
    }

    /// The error as others see it, with the place in its message.
    #[must_use]
    pub fn placed(self, text: &str) -> cypher_value::Error {
        let before = text.get(..self.span.start.min(text.len())).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        let message = format!("{} (line {line}, column {column})", self.message);
        cypher_value::Error::new(self.kind, self.detail, message)
    }
}
