//! The Cypher language: text to a tree, and what is wrong with it before it runs.
//!
//! [`parse()`] reads openCypher 9 and what GQL and later versions of Cypher add to it at little cost; [`check()`] finds
//! the errors that need no data: names that are not there or stand for something of another kind, aggregates where none
//! may stand, operands of types that are known and wrong. No I/O, no storage, no execution.
//!
//! ```
//! struct Nothing;
//! impl cypher::Callables for Nothing {
//!     fn function(&self, _: &str) -> Option<cypher::Arity> {
//!         None
//!     }
//!     fn procedure(&self, _: &str) -> Option<cypher::Signature> {
//!         None
//!     }
//! }
//! let statement = cypher::parse("MATCH (n:Person) RETURN n.name AS name")?;
//! assert_eq!(cypher::check(&statement, &Nothing)?.columns, ["name"]);
//! # Ok::<(), cypher::Error>(())
//! ```
//!
//! Nothing here panics; nesting, length and ambiguity are bounded by [`limits`]. Start reading at [`ast::Statement`].

pub mod ast;
mod check;
mod error;
mod inline;
pub mod limits;
mod parse;
mod token;

pub use check::{
    Arity, Callables, Facts, Signature, Type, check, children, has_aggregate, is_aggregate, same, with_columns,
};
pub use error::{Error, Result, Span};
pub use inline::inline;
pub use parse::parse;
