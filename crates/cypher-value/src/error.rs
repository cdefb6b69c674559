//! Errors of queries: a kind, a detail, and a text for people.

use std::fmt;

/// What a function of this crate gives.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a query cannot be run, or was stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What kind of mistake it is: decides the code that clients get.
    pub kind: ErrorKind,
    /// What exactly is wrong, by the names of the openCypher TCK.
    pub detail: Detail,
    /// What is wrong and what to do, for people.
    pub message: String,
}

impl Error {
    /// An error.
    pub fn new(kind: ErrorKind, detail: Detail, message: impl Into<String>) -> Self {
        Self { kind, detail, message: message.into() }
    }

    /// A text that is not a query, or a query that cannot mean anything.
    pub fn syntax(detail: Detail, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::SyntaxError, detail, message)
    }

    /// A value of a type that is not taken.
    pub fn type_error(detail: Detail, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::TypeError, detail, message)
    }

    /// An argument of the right type that is not taken.
    pub fn argument(detail: Detail, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::ArgumentError, detail, message)
    }

    /// A calculation without a result.
    pub fn arithmetic(detail: Detail, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::ArithmeticError, detail, message)
    }

    /// A node or relationship that is there no longer.
    pub fn deleted(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::EntityNotFound, Detail::DeletedEntityAccess, message)
    }

    /// The code that clients get, such as `Neo.ClientError.Statement.SyntaxError`.
    pub fn code(&self) -> &'static str {
        self.kind.code(self.detail)
    }
}

/// Kinds of errors. The first ten are those of the openCypher TCK.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The text is not a query, or one that cannot mean anything.
    SyntaxError,
    /// The query contradicts itself or the data, such as `MERGE` on null.
    SemanticError,
    /// A value of a type that is not taken.
    TypeError,
    /// An argument that is not taken.
    ArgumentError,
    /// A calculation without a result.
    ArithmeticError,
    /// An element that is there no longer.
    EntityNotFound,
    /// A property that is not there.
    PropertyNotFound,
    /// A parameter that was not given.
    ParameterMissing,
    /// A procedure that does not exist or is called wrongly.
    ProcedureError,
    /// Data that a constraint, the schema, or a relationship of a deleted node forbids.
    ConstraintVerificationFailed,
    /// A write where only reading is allowed.
    AccessMode,
    /// A right that the user does not have.
    Forbidden,
    /// A graph that does not exist.
    DatabaseNotFound,
    /// An administration command that is not there.
    UnsupportedAdministrationCommand,
    /// Something that cannot be done, such as a `LOAD CSV` of a file that cannot be read.
    ExecutionFailed,
    /// The query took longer than it may.
    Timeout,
    /// The query was stopped by its user.
    Terminated,
    /// The query needs more memory than it may take.
    OutOfMemory,
    /// A concurrent transaction changed the same data: the query may succeed when it is run again.
    Conflict,
    /// The server is too busy or about to stop.
    Unavailable,
    /// A fault of the server or its storage.
    Internal,
    /// A query that can only stand alone, in a transaction of its client; or the schema and data changed in one.
    TransactionType,
    /// A file of `LOAD CSV` that may not or cannot be read.
    ExternalResource,
    /// An index or constraint of the same definition is there.
    EquivalentRule,
    /// An index over the same properties is there.
    IndexExists,
    /// A constraint over the same properties is there.
    ConstraintExists,
    /// An index of the same name is there.
    IndexNameExists,
    /// A constraint of the same name is there.
    ConstraintNameExists,
    /// An index that cannot be made.
    IndexCreationFailed,
    /// A constraint that cannot be made, or that the data violates.
    ConstraintCreationFailed,
    /// An index that is not there.
    IndexDropFailed,
    /// A constraint that is not there.
    ConstraintDropFailed,
    /// An index that a constraint needs.
    ForbiddenOnConstraintIndex,
}

impl ErrorKind {
    /// The code that clients get. `detail` tells constraints and procedures apart.
    pub fn code(self, detail: Detail) -> &'static str {
        match (self, detail) {
            (Self::SyntaxError, _) => "Neo.ClientError.Statement.SyntaxError",
            (Self::SemanticError, _) => "Neo.ClientError.Statement.SemanticError",
            (Self::TypeError, _) => "Neo.ClientError.Statement.TypeError",
            (Self::ArgumentError, _) => "Neo.ClientError.Statement.ArgumentError",
            (Self::ArithmeticError, _) => "Neo.ClientError.Statement.ArithmeticError",
            (Self::EntityNotFound, _) => "Neo.ClientError.Statement.EntityNotFound",
            (Self::PropertyNotFound, _) => "Neo.ClientError.Statement.PropertyNotFound",
            (Self::ParameterMissing, _) => "Neo.ClientError.Statement.ParameterMissing",
            (Self::ProcedureError, Detail::ProcedureNotFound) => "Neo.ClientError.Procedure.ProcedureNotFound",
            (Self::ProcedureError, _) => "Neo.ClientError.Procedure.ProcedureCallFailed",
            (Self::ConstraintVerificationFailed, _) => "Neo.ClientError.Schema.ConstraintValidationFailed",
            (Self::AccessMode, _) => "Neo.ClientError.Statement.AccessMode",
            (Self::Forbidden, _) => "Neo.ClientError.Security.Forbidden",
            (Self::DatabaseNotFound, _) => "Neo.ClientError.Database.DatabaseNotFound",
            (Self::UnsupportedAdministrationCommand, _) => "Neo.ClientError.Statement.UnsupportedAdministrationCommand",
            (Self::ExecutionFailed, _) => "Neo.ClientError.Statement.ExecutionFailed",
            (Self::Timeout, _) => "Neo.ClientError.Transaction.TransactionTimedOut",
            (Self::Terminated, _) => "Neo.ClientError.Transaction.Terminated",
            (Self::OutOfMemory, _) => "Neo.TransientError.General.MemoryPoolOutOfMemoryError",
            (Self::Conflict, _) => "Neo.TransientError.Transaction.DeadlockDetected",
            (Self::Unavailable, _) => "Neo.TransientError.General.DatabaseUnavailable",
            (Self::Internal, _) => "Neo.DatabaseError.General.UnknownError",
            (Self::TransactionType, _) => "Neo.DatabaseError.Transaction.TransactionStartFailed",
            (Self::ExternalResource, _) => "Neo.ClientError.Statement.ExternalResourceFailed",
            (Self::EquivalentRule, _) => "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists",
            (Self::IndexExists, _) => "Neo.ClientError.Schema.IndexAlreadyExists",
            (Self::ConstraintExists, _) => "Neo.ClientError.Schema.ConstraintAlreadyExists",
            (Self::IndexNameExists, _) => "Neo.ClientError.Schema.IndexWithNameAlreadyExists",
            (Self::ConstraintNameExists, _) => "Neo.ClientError.Schema.ConstraintWithNameAlreadyExists",
            (Self::IndexCreationFailed, _) => "Neo.DatabaseError.Schema.IndexCreationFailed",
            (Self::ConstraintCreationFailed, _) => "Neo.DatabaseError.Schema.ConstraintCreationFailed",
            (Self::IndexDropFailed, _) => "Neo.DatabaseError.Schema.IndexDropFailed",
            (Self::ConstraintDropFailed, _) => "Neo.DatabaseError.Schema.ConstraintDropFailed",
            (Self::ForbiddenOnConstraintIndex, _) => "Neo.ClientError.Schema.ForbiddenOnConstraintIndex",
        }
    }
}

/// Declares the details, whose names are those of the openCypher TCK.
macro_rules! details {
    ($($(#[doc = $text:literal])* $name:ident,)*) => {
        /// What exactly is wrong. The names are those of the openCypher TCK; [`Detail::None`] is for all else.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Detail {
            $($(#[doc = $text])* $name,)*
        }

        impl Detail {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }
        }
    };
}

details! {
    /// Nothing more than the kind.
    None,
    /// An `ORDER BY` beside an aggregate uses what is neither a grouping key nor an aggregate.
    AmbiguousAggregationExpression,
    /// Two columns have one name.
    ColumnNameConflict,
    /// A relationship of variable length in `CREATE` or `MERGE`.
    CreatingVarLength,
    /// A node that still has relationships is deleted.
    DeleteConnectedNode,
    /// Something is read from an element that was deleted.
    DeletedEntityAccess,
    /// The parts of a `UNION` have different columns.
    DifferentColumnsInUnion,
    /// A float beyond 64 bits.
    FloatingPointOverflow,
    /// An integer beyond 64 bits.
    IntegerOverflow,
    /// An aggregate where none may stand.
    InvalidAggregation,
    /// A procedure called without its arguments where they must be given.
    InvalidArgumentPassingMode,
    /// An argument of a type that is not taken.
    InvalidArgumentType,
    /// An argument whose value is not taken.
    InvalidArgumentValue,
    /// Clauses that may not follow each other.
    InvalidClauseComposition,
    /// Something that cannot be deleted, such as a label.
    InvalidDelete,
    /// An index that is not an integer.
    InvalidElementAccess,
    /// A number that cannot be read.
    InvalidNumberLiteral,
    /// A function called with too few or too many arguments.
    InvalidNumberOfArguments,
    /// A parameter where none may stand.
    InvalidParameterUse,
    /// A value that cannot be stored.
    InvalidPropertyType,
    /// A pattern of a relationship that may not stand here.
    InvalidRelationshipPattern,
    /// An escape with digits that are no character.
    InvalidUnicodeLiteral,
    /// A character that may not stand in a query.
    InvalidUnicodeCharacter,
    /// A list element that is not there.
    ListElementAccess,
    /// A key of a map that is not a text.
    MapElementAccessByNonString,
    /// `MERGE` with a null property.
    MergeReadOwnWrites,
    /// A parameter that was not given.
    MissingParameter,
    /// An argument below zero.
    NegativeIntegerArgument,
    /// An aggregate inside an aggregate.
    NestedAggregation,
    /// No expression has a name where one is needed.
    NoExpressionAlias,
    /// A relationship to create has no type, or several.
    NoSingleRelationshipType,
    /// `*` where there is no variable.
    NoVariablesInScope,
    /// `SKIP` or `LIMIT` with an expression that reads rows.
    NonConstantExpression,
    /// A number that is out of the range.
    NumberOutOfRange,
    /// A procedure that does not exist.
    ProcedureNotFound,
    /// A property of what has none.
    PropertyAccessOnNonMap,
    /// A relationship that stands twice in a pattern.
    RelationshipUniquenessViolation,
    /// A relationship to create has no direction.
    RequiresDirectedRelationship,
    /// A variable that is not there.
    UndefinedVariable,
    /// A text that is not a query.
    UnexpectedSyntax,
    /// A function that does not exist.
    UnknownFunction,
    /// A variable that already stands for something.
    VariableAlreadyBound,
    /// A variable that stands for something of another kind.
    VariableTypeConflict,
    /// A value of a property that a constraint forbids.
    CreateBlockedByConstraint,
}

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_end_in_the_name_of_the_kind() {
        for kind in [
            ErrorKind::SyntaxError,
            ErrorKind::SemanticError,
            ErrorKind::TypeError,
            ErrorKind::ArgumentError,
            ErrorKind::ArithmeticError,
            ErrorKind::EntityNotFound,
            ErrorKind::ParameterMissing,
        ] {
            assert_eq!(kind.code(Detail::None).rsplit('.').next(), Some(format!("{kind:?}").as_str()));
        }
    }

    #[test]
    fn a_procedure_that_is_not_there_has_its_own_code() {
        let error = Error::new(ErrorKind::ProcedureError, Detail::ProcedureNotFound, "no procedure `a.b`");
        assert_eq!(error.code(), "Neo.ClientError.Procedure.ProcedureNotFound");
        assert_eq!(error.to_string(), "no procedure `a.b`");
    }
}
