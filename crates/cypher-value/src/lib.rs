//! Values of Cypher queries: what they are, and how they compare, order and compute.
//!
//! [`Value`] is any value a query reads, holds or answers. It takes 24 bytes, and a clone costs at most one reference
//! count. `==` and `Hash` are *equivalence*, by which values are grouped and made unique: null is itself, NaN is
//! itself, `1` and `1.0` are one.
//!
//! [`Error`] says what kind of mistake a query makes; its kind decides the code that clients see.
//!
//! No I/O, no storage, no parser of the language, no execution. Nothing here panics. Start reading at [`Value`].

mod equivalence;
mod error;
mod number;
mod temporal;
mod text;
mod value;

pub use error::{Detail, Error, ErrorKind, Result};
pub use temporal::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time};
pub use text::Text;
pub use value::{ElementId, Map, Node, NodeContent, Path, Point, Relationship, Value};
