//! Errors of computing with values. The texts are those that clients of Gremlin know.

/// Why a value could not be computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// The result is beyond 64 bits; integers of any length have no such bound.
    #[error("long overflow")]
    Overflow,
    /// An integer or a decimal number was divided by zero.
    #[error("/ by zero")]
    DivisionByZero,
    /// A limit of [`crate::limits`] is exceeded.
    #[error("more than {max} {what} ({limit})")]
    TooLarge {
        /// What is too much.
        what: &'static str,
        /// The name of the limit.
        limit: &'static str,
        /// Its value.
        max: usize,
    },
    /// An operation got a value it does not take.
    #[error("{operation} expects {expected}, found {found}")]
    Operand {
        /// The operation.
        operation: &'static str,
        /// What it takes.
        expected: &'static str,
        /// The kind of value found.
        found: &'static str,
    },
    /// A text is not a number.
    #[error("Can't parse string '{text}' as number.")]
    NumberText {
        /// The text.
        text: String,
    },
    /// A value of this type is not a number.
    #[error("Can't parse type {class} as number.")]
    NumberType {
        /// The type's name.
        class: &'static str,
    },
    /// A number does not fit the type asked for.
    #[error("Can't convert number of type {from} to {to} due to overflow.")]
    Narrowing {
        /// The number's type.
        from: &'static str,
        /// The type asked for.
        to: &'static str,
    },
    /// A type that numbers cannot have.
    #[error("asNumber() requires a numeric type token, got {gtype}")]
    NotNumeric {
        /// The type.
        gtype: &'static str,
    },
    /// A value that stands for nothing of another type.
    #[error("Can't parse {text} as {class}.")]
    Conversion {
        /// The value.
        text: String,
        /// The type.
        class: &'static str,
    },
    /// A step that takes texts got another value.
    #[error("The {step}() step can only take string as argument, encountered {class}")]
    NotText {
        /// The step.
        step: &'static str,
        /// The value's type.
        class: &'static str,
    },
    /// A step that takes texts or lists of texts got another value.
    #[error("The {step}(local) step can only take string or list of strings, encountered {class}")]
    NotTexts {
        /// The step.
        step: &'static str,
        /// The value's type.
        class: &'static str,
    },
    /// `concat()` got what is not a text.
    #[error("String concat() can only take string as argument, encountered {class}")]
    NotConcatenable {
        /// The value's type.
        class: &'static str,
    },
    /// Indexes of `substring()` that are out of order or range.
    #[error("Can't take the substring from {start} to {end}")]
    Substring {
        /// The first character.
        start: i64,
        /// The character after the last.
        end: i64,
    },
    /// A step on collections got null.
    #[error("Incoming traverser for {step} step can't be null")]
    NullCollection {
        /// The step.
        step: &'static str,
    },
    /// A step on collections got another value.
    #[error("{step} step can only take an array or an Iterable type for incoming traversers, encountered {class}")]
    NotCollection {
        /// The step.
        step: &'static str,
        /// The value's type.
        class: &'static str,
    },
    /// The argument of a step on collections is null.
    #[error("Argument provided for {step} step can't be null")]
    NullArgument {
        /// The step.
        step: &'static str,
    },
    /// The argument of a step on collections is no collection.
    #[error("{step} step can only take an array or an Iterable as an argument, encountered {class}")]
    ArgumentType {
        /// The step.
        step: &'static str,
        /// The value's type.
        class: &'static str,
    },
    /// A traversal as an argument yielded null.
    #[error("traversal argument for {step} step must yield an iterable type, not null")]
    NullYielded {
        /// The step.
        step: &'static str,
    },
    /// A traversal as an argument yielded no collection.
    #[error("traversal argument for {step} step must yield an iterable type, encountered {class}")]
    YieldedType {
        /// The step.
        step: &'static str,
        /// The value's type.
        class: &'static str,
    },
    /// A map was to be merged with something else.
    #[error("merge step expected provided argument to evaluate to a Map, encountered {class}")]
    MergeMap {
        /// The argument's type.
        class: &'static str,
    },
    /// A collection was to be merged with a map.
    #[error("merge step type mismatch: expected argument to be Iterable but got Map")]
    MergeIterable,
    /// A regular expression that cannot be used.
    #[error("'{pattern}' is not a regular expression: {reason}")]
    Regex {
        /// The expression.
        pattern: String,
        /// Why not.
        reason: String,
    },
    /// A type's name that is not registered.
    #[error("{name} is not a registered type")]
    TypeName {
        /// The name.
        name: String,
    },
    /// A formula that is wrong.
    #[error("math(): {reason} at character {position} of '{formula}'")]
    Formula {
        /// The formula.
        formula: String,
        /// The character, from 1.
        position: usize,
        /// What is wrong.
        reason: String,
    },
}
