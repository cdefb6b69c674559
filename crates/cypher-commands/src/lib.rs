//! How are Cypher's commands about the schema, and `LOAD CSV`, carried out?
//!
//! What it is: the executor makes calls of procedures of them ([`procedures()`]), and [`Commands`] carries those out
//! for one query: `CREATE INDEX` and `CREATE CONSTRAINT` make index labels of a strict graph and start the task that
//! builds them, `db.awaitIndexes` waits for it, and `LOAD CSV` reads files of the folders that are allowed
//! ([`Imports`]). What it is not: it reads no text of a query, and speaks no protocol; what it did is told as
//! [`Effects`].
//!
//! Invariants:
//! - A file outside of the allowed folders is never opened, by whatever path or link.
//! - A command that fails has made nothing, but for a constraint whose server stops while it waits for the index.

mod arguments;
mod commands;
mod csv_rows;
mod effects;
mod error;
mod imports;
pub mod limits;
mod procedures;
mod rule;

pub use commands::Commands;
pub use effects::{Effects, Note};
pub use imports::Imports;
pub use procedures::procedures;
