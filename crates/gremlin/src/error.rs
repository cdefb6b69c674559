//! Errors of scripts and bytecode: what is wrong, where, and what would be accepted.

use std::fmt;

/// A range of bytes in a script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// From the start of this span to the end of another.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end.max(self.start) }
    }
}

/// A place in a script as editors count it: lines and characters, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

/// Why a script or bytecode was refused.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The bytes of the script concerned; none for bytecode.
    pub span: Option<Span>,
    /// The start of `span` as line and column; none for bytecode.
    pub position: Option<Position>,
}

impl Error {
    /// An error at a place in a script; [`Error::located`] adds line and column.
    #[must_use]
    pub fn at(kind: ErrorKind, span: Span) -> Self {
        Self { kind, span: Some(span), position: None }
    }

    /// Adds line and column, counted in the script that the span refers to.
    #[must_use]
    pub fn located(mut self, script: &str) -> Self {
        if let Some(before) = self.span.and_then(|span| script.get(..span.start.min(script.len()))) {
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            self.position = Some(Position { line, column });
        }
        self
    }

    /// Gives the error a place unless it already has one.
    pub(crate) fn or_at(mut self, span: Option<Span>) -> Self {
        self.span = self.span.or(span);
        self
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self { kind, span: None, position: None }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column }) = self.position {
            write!(f, "line {line}, column {column}: ")?;
        }
        self.kind.fmt(f)
    }
}

impl std::error::Error for Error {}

/// What is wrong with a script or bytecode.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ErrorKind {
    /// A limit of [`crate::limits`] is exceeded.
    #[error("{what}: more than {max} ({limit})")]
    TooLarge {
        /// What has too many of something.
        what: &'static str,
        /// The name of the limit.
        limit: &'static str,
        /// Its value.
        max: usize,
    },
    /// Something else than what was found could stand here.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What was found.
        found: String,
        /// What would be accepted.
        expected: String,
    },
    /// A character that starts no token.
    #[error("unexpected character '{}'", .character.escape_default())]
    Character {
        /// The character.
        character: char,
    },
    /// A string or a comment without its end.
    #[error("{what} is not closed")]
    NotClosed {
        /// Which kind of token.
        what: &'static str,
    },
    /// An escape sequence that does not exist.
    #[error("'{escape}' is not an escape sequence")]
    Escape {
        /// The sequence.
        escape: String,
    },
    /// A literal whose content is wrong.
    #[error("'{text}' is not {expected}")]
    Literal {
        /// The content.
        text: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A part of Groovy that is never run.
    #[error("{construct} is not supported: only Gremlin and a small set of Groovy statements are")]
    Unsupported {
        /// The construct, with its name.
        construct: String,
    },
    /// A method that is not in the list of those that may be called.
    #[error("method {name}() cannot be called on {target}")]
    Method {
        /// The method.
        name: String,
        /// On what it was called.
        target: &'static str,
    },
    /// A step that does not exist.
    #[error("unknown step {name}()")]
    UnknownStep {
        /// The name.
        name: String,
    },
    /// An argument of the wrong type.
    #[error("argument {index} of {step}(): expected {expected}, found {found}")]
    Argument {
        /// The step.
        step: String,
        /// The argument, from 1.
        index: usize,
        /// What would be accepted.
        expected: &'static str,
        /// What was given.
        found: String,
    },
    /// More arguments than the step takes.
    #[error("{step}() takes {taken} arguments here, found {given}")]
    TooManyArguments {
        /// The step.
        step: String,
        /// How many could be used.
        taken: usize,
        /// How many were given.
        given: usize,
    },
    /// A modulator after a step that it does not modulate, or after none.
    #[error("{modulator}() cannot modulate {step}")]
    Modulator {
        /// The modulator.
        modulator: String,
        /// The step before it.
        step: String,
    },
    /// `until()`, `emit()` or `times()` without `repeat()`.
    #[error("The repeat()-traversal was not defined: {modulator}()")]
    RepeatMissing {
        /// The modulator.
        modulator: String,
    },
    /// A variable that has no value.
    #[error("No such property: {name}")]
    Unbound {
        /// The name.
        name: String,
    },
    /// A value that cannot be computed or tested with.
    #[error(transparent)]
    Value(#[from] query_value::ValueError),
    /// An expression that only the execution of the script can evaluate.
    #[error("{what} must be evaluated before the traversal that uses it")]
    NotEvaluated {
        /// What it is.
        what: &'static str,
    },
}
