//! Values of Cypher queries: what they are, and how they compare, order and compute.
//!
//! [`Value`] is any value a query reads, holds or answers. It takes 24 bytes, and a clone costs at most one reference
//! count. `==` and `Hash` are *equivalence*, by which values are grouped and made unique: null is itself, NaN is
//! itself, `1` and `1.0` are one.
//!
//! [`compare`] has the other relations: equality, comparison, order. [`arithmetic`] and [`logic`] are the operators,
//! [`function`] has the functions by name, [`Accumulator`] the aggregates. [`Context`] is what they need beside values.
//! [`Error`] says what kind of mistake a query makes; its kind decides the code that clients see.
//!
//! No I/O, no storage, no parser of the language, no execution. Nothing here panics. Functions recurse into nested
//! values, so code that makes lists or maps of values hands them through [`bounded`]. Start reading at [`Value`].

mod aggregate;
pub mod arithmetic;
mod bounds;
pub mod compare;
mod context;
mod equivalence;
mod error;
pub mod function;
pub mod limits;
pub mod logic;
mod memory;
mod moment;
mod number;
mod point;
mod print;
mod temporal;
#[cfg(test)]
mod testing;
mod text;
mod types;
mod value;

pub use aggregate::{Accumulator, Aggregate};
pub use bounds::bounded;
pub use context::{Carried, Context, Elements, Moment, clock};
pub use error::{Detail, Error, ErrorKind, Result};
pub use function::Function;
pub use memory::memory;
pub use print::{float_text, to_text};
pub use temporal::{Date, DateTime, Duration, LocalDateTime, LocalTime, Time, Zone};
pub use text::Text;
pub use types::Types;
pub use value::{ElementId, Map, Node, NodeContent, Path, Point, Relationship, Value};
