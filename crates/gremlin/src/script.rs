//! Scripts: statements over traversals, variables, schema calls and method results.
//!
//! A script is data to be carried out one statement after the other. There is no control flow and no function of the
//! user's, so each statement runs once.

use query_value::Text;

use crate::tree::{Expression, Value};

/// A parsed script.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// The statements in order; the value of the last one is the script's.
    pub statements: Vec<Statement>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// Evaluates an expression.
    Expression(Expression),
    /// Evaluates an expression and keeps its value: `x = ...`, `def x = ...`, `x.k = ...`, `x['k'] = ...`.
    Assign {
        /// Where to.
        target: Target,
        /// The value.
        value: Expression,
    },
    /// Ends the script with a value.
    Return(Expression),
}

/// What can be assigned to.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A variable.
    Variable(Text),
    /// An entry of a map or a list that an expression yields.
    Entry(Expression, Value),
}
