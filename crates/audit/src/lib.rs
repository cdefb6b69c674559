//! Who did what, and when: lines of JSON in a file that is only added to.
//!
//! What it is: [`Audit`] takes [`Event`]s from all protocols into a bounded queue, and one thread writes them as lines,
//! with numbers, rotation by size, and a chain of hashes if that is wanted; [`verify`] checks such files. What it is
//! not: it decides nothing, and knows no protocol.
//!
//! Invariants:
//! - A line holds no password, token, key, or value of a property. Texts of queries are there as hashes unless their
//!   text is asked for ([`Options::has_query_text`]).
//! - Nothing a client sends can begin a line: texts are JSON strings, and cut off at a bound.
//! - Where a record is required ([`Options::is_required`]), it is in the file before what it records begins.
//! - Switched off, an event is never made: [`Audit::records`] is one comparison.
//!
//! Start reading at [`Audit`].

mod chain;
mod event;
mod file;
pub mod limits;
mod log;

pub use chain::{Problem, Report, verify};
pub use event::{Class, Event, Outcome, Subject, UnknownClass, query_hash};
pub use log::{Audit, AuditError, Options, Unwritable};
