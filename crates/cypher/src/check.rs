//! What is wrong with a query before it runs: names, kinds of variables, aggregates, types that are known.

mod aggregate;
mod calls;
mod clause;
mod expr;
mod pattern;
mod procedure;
mod projection;
mod scope;
mod special;
mod transactions;
mod types;

use std::collections::BTreeSet;

pub use aggregate::{children, has_aggregate, is_aggregate, same};
pub use projection::with_columns;
pub use types::Type;

use crate::ast::{Body, Statement};
use crate::error::Result;

/// How many arguments a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arity {
    /// At least.
    pub min: usize,
    /// At most.
    pub max: usize,
}

/// A procedure as its callers see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Names, types and whether they may be left out, of the arguments.
    pub arguments: Vec<(String, Type, bool)>,
    /// Names and types of the columns.
    pub columns: Vec<(String, Type)>,
    /// Whether it writes.
    pub is_write: bool,
}

/// What a query can call.
pub trait Callables {
    /// How many arguments a function of a name in small letters takes; none if there is no such function. Aggregates
    /// are known to the check itself.
    fn function(&self, name: &str) -> Option<Arity>;

    /// The procedure of a name.
    fn procedure(&self, name: &str) -> Option<Signature>;
}

/// What a check found out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The columns of the result.
    pub columns: Vec<String>,
    /// The parameters that are used.
    pub parameters: BTreeSet<String>,
    /// Whether something may be written.
    pub is_write: bool,
    /// Whether more may be written than deletions.
    pub adds: bool,
    /// Whether something is read of the graph.
    pub is_read: bool,
    /// Whether what is written is committed now and then (`IN TRANSACTIONS`).
    pub commits_between: bool,
}

/// Checks a statement.
///
/// # Errors
/// What is wrong with it.
pub fn check(statement: &Statement, callables: &dyn Callables) -> Result<Facts> {
    let mut checker = Checker { callables, facts: Facts::default(), is_standalone: false };
    match &statement.body {
        Body::Query(query) => {
            transactions::check(query)?;
            let columns = checker.query(query, &scope::Scope::default(), false)?;
            checker.facts.columns = columns.into_iter().map(|(name, _)| name).collect();
        }
        Body::Command(_) => {}
    }
    Ok(checker.facts)
}

struct Checker<'c> {
    callables: &'c dyn Callables,
    facts: Facts,
    /// Whether the only clause is a call of a procedure.
    is_standalone: bool,
}
