//! Elements of auto graphs as queries see them, and back: ids and values that keep their types, several values of a
//! key, properties of properties.
//!
//! What it is: [`read_vertex`] and [`read_edge`] make an [`AutoVertex`] or an [`AutoEdge`] of a stored element;
//! [`AutoVertex::set_property`] changes it; [`write_vertex`] and [`write_edge`] make the labels and keys it names and
//! write it; [`ids`] has what an id in a query is in storage. What it is not: it plans and finds nothing, and knows no
//! query language. How the bytes look is the business of `tagged-value`.
//!
//! Invariants: what was written is read back equal and of the same types; a value or an id that cannot be stored is an
//! error that says so, and nothing is written then.
//!
//! Start reading at [`AutoVertex`].

mod edge;
mod error;
pub mod ids;
mod lookup;
mod value;
mod vertex;

pub use edge::{AutoEdge, read_edge, write_edge};
pub use error::AutoError;
pub use lookup::indexed;
pub use value::{decode, encode};
pub use vertex::{AutoProperty, AutoVertex, NewProperty, read_properties, read_vertex, write_vertex};
