//! How are Cypher's values, and its indexes and constraints, stored?
//!
//! What it is: [`value`] reads a stored value of a strict or an auto graph, [`encode`] and [`literal`] make one;
//! [`required_properties`] and the names of user data say which parts of a strict schema are constraints, and
//! [`serving_index`] which index leads to nodes. What it is not: it reads no graph and changes no schema.

mod codec;
mod rules;
mod shown;

pub use codec::{encode, literal, looked_up, storable, stored_literal, value};
pub use rules::{
    INDEX_KIND, INDEX_OWNER, REQUIRED_PREFIX, RequiredProperty, required_name, required_properties, serving_index,
};
pub use shown::{shown_constraints, shown_indexes};

type Result<T> = std::result::Result<T, cypher_value::Error>;
