//! What is wrong with a definition, a value or an element.

use graph_model::{ErrorKind, IdError};

/// A value that does not fit its property key.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The notation cannot be of the key's type.
    #[error("property '{key}' expects {expected}, but got {got}")]
    WrongType {
        /// Name of the property key.
        key: String,
        /// What it expects, in words: `an INT (whole number from -2147483648 to 2147483647)`.
        expected: String,
        /// What was given, in words.
        got: String,
    },
    /// Nulls are not stored: leave the property out.
    #[error("property '{key}' is null; leave it out instead")]
    Null {
        /// Name of the property key.
        key: String,
    },
    /// Too many values.
    #[error("property '{key}' has {count} values, the limit is {limit}")]
    TooManyValues {
        /// Name of the property key.
        key: String,
        /// How many were given.
        count: usize,
        /// [`crate::limits::COLLECTION_ITEMS_MAX`].
        limit: usize,
    },
}

/// A vertex or an edge that breaks the schema's rules.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ElementError {
    /// No label was given.
    #[error("the label of the {element} is missing")]
    LabelMissing {
        /// `vertex` or `edge`.
        element: &'static str,
    },
    /// No such label.
    #[error("undefined {element} label '{name}'{hint}")]
    UnknownLabel {
        /// `vertex` or `edge`.
        element: &'static str,
        /// The name given.
        name: String,
        /// A similar name, as `; did you mean 'x'?`, or nothing.
        hint: String,
    },
    /// No such property key.
    #[error("undefined property key '{key}'{hint}")]
    UnknownKey {
        /// The name given.
        key: String,
        /// A similar name, as `; did you mean 'x'?`, or nothing.
        hint: String,
    },
    /// The label has no such property.
    #[error("label '{label}' has no property '{key}'; its properties are {properties}")]
    KeyNotInLabel {
        /// Name of the label.
        label: String,
        /// The name given.
        key: String,
        /// The label's properties, for people.
        properties: String,
    },
    /// Properties that must be there are not.
    #[error("label '{label}' requires {keys}: only nullable properties may be left out")]
    MissingProperties {
        /// Name of the label.
        label: String,
        /// The missing names, quoted and joined.
        keys: String,
    },
    /// A value of the wrong type.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// An id that cannot be.
    #[error(transparent)]
    Id(#[from] IdError),
    /// An id that does not go with the label's id strategy.
    #[error("label '{label}' has id strategy {strategy}: {reason}")]
    IdStrategy {
        /// Name of the label.
        label: String,
        /// Name of the strategy.
        strategy: &'static str,
        /// What is wrong, what to do.
        reason: String,
    },
    /// A vertex id that is neither a number nor a text.
    #[error("a vertex id must be a number or a string, but got {got}")]
    IdNotation {
        /// What was given, in words.
        got: String,
    },
    /// An end of an edge is missing or of the wrong notation.
    #[error("{end} of the edge {reason}")]
    End {
        /// `outV`, `inV`, `outVLabel` or `inVLabel`.
        end: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// An edge between labels its edge label does not link.
    #[error("edge label '{label}' links '{source_label}' to '{target_label}', not '{got_source}' to '{got_target}'")]
    WrongLink {
        /// Name of the edge label.
        label: String,
        /// Vertex label at its source.
        source_label: String,
        /// Vertex label at its target.
        target_label: String,
        /// What was given as source.
        got_source: String,
        /// What was given as target.
        got_target: String,
    },
    /// An edge of a parent label.
    #[error("edge label '{label}' is a parent label: create the edge with one of its sub labels")]
    ParentLabel {
        /// Name of the edge label.
        label: String,
    },
    /// A property that identifies the element cannot be changed.
    #[error("property '{key}' is a {role} of label '{label}' and cannot be changed; insert a new element instead")]
    Identifying {
        /// Name of the label.
        label: String,
        /// Name of the property.
        key: String,
        /// `primary key` or `sort key`.
        role: &'static str,
    },
    /// A property that must be there cannot be removed.
    #[error("property '{key}' of label '{label}' is not nullable and cannot be removed")]
    NotNullable {
        /// Name of the label.
        label: String,
        /// Name of the property.
        key: String,
    },
    /// The lifetime has passed already.
    #[error("the {element} would have expired already: its lifetime of {ttl_ms} ms ended in the past")]
    Expired {
        /// `vertex` or `edge`.
        element: &'static str,
        /// The label's lifetime.
        ttl_ms: u64,
    },
    /// The label is being deleted.
    #[error("label '{label}' is being deleted")]
    LabelGone {
        /// Name of the label.
        label: String,
    },
    /// An edge with an id that is not the one its label, ends and sort keys make.
    #[error(
        "the edge has id {given}, but its label, ends and sort keys make the id '{derived}'; leave 'id' out, or \
         correct them"
    )]
    EdgeIdDiffers {
        /// The id that follows from the rest.
        derived: String,
        /// What was given, in words.
        given: String,
    },
    /// A strategy of a batch update that cannot be followed.
    #[error("property '{key}' cannot be updated with {strategy}: {reason}")]
    Strategy {
        /// Name of the property.
        key: String,
        /// Name of the strategy.
        strategy: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// An update of an element that is stored, or given before in the same request, with another label.
    #[error("the {element} has label '{stored}', not '{given}'; an update does not change labels")]
    LabelDiffers {
        /// `vertex` or `edge`.
        element: &'static str,
        /// Name of the label it has.
        stored: String,
        /// Name of the label given.
        given: String,
    },
    /// What an element of a graph with `schema.mode=auto` cannot be.
    #[error("{reason} (the graph has schema.mode=auto)")]
    AutoGraph {
        /// What is wrong, what to do.
        reason: String,
    },
    /// A feature this program does not have.
    #[error("property '{key}' cannot be stored: {reason}")]
    Unsupported {
        /// Name of the property.
        key: String,
        /// Why.
        reason: &'static str,
    },
}

/// A definition or a change of the schema that breaks its rules.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// An element of this name exists.
    #[error("the {kind} '{name}' has existed")]
    Exists {
        /// Kind in lower case words: `property key`.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// No element of this name.
    #[error("{kind} '{name}' does not exist{hint}")]
    NotFound {
        /// Kind in lower case words.
        kind: &'static str,
        /// The name given.
        name: String,
        /// A similar name, as `; did you mean 'x'?`, or nothing.
        hint: String,
    },
    /// A definition that cannot be.
    #[error("{kind} '{name}': {reason}")]
    Invalid {
        /// Kind in lower case words.
        kind: &'static str,
        /// Its name.
        name: String,
        /// What is wrong, what to do.
        reason: String,
    },
    /// A change the rules forbid.
    #[error("{kind} '{name}': {reason}")]
    NotAllowed {
        /// Kind in lower case words.
        kind: &'static str,
        /// Its name.
        name: String,
        /// What is wrong, what to do.
        reason: String,
    },
    /// A feature this program does not have.
    #[error("{kind} '{name}': {reason}")]
    NotSupported {
        /// Kind in lower case words.
        kind: &'static str,
        /// Its name.
        name: String,
        /// What is not supported.
        reason: String,
    },
}

impl SchemaError {
    /// The kind of the error: what it means to the caller.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Exists { .. } => ErrorKind::AlreadyExists,
            Self::NotFound { .. } => ErrorKind::NotFound,
            Self::Invalid { .. } => ErrorKind::BadInput,
            Self::NotAllowed { .. } => ErrorKind::NotAllowed,
            Self::NotSupported { .. } => ErrorKind::NotSupported,
        }
    }
}
