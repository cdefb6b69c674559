//! The functions of the language, in a table by name.
//!
//! [`find`] gives a function, [`Function::call`] calls it. A function that was found says how many arguments of which
//! types it takes, so that a query can be refused before it runs.

use std::collections::HashMap;
use std::sync::LazyLock;

mod convert;
mod element;
mod list;
mod math;
mod scalar;
mod signature;
mod space;
mod table;
mod text;
mod time;

pub use signature::{Body, Function};

/// The functions by their names in lower case.
static BY_NAME: LazyLock<HashMap<String, &'static Function>> =
    LazyLock::new(|| all().map(|function| (function.name.to_ascii_lowercase(), function)).collect());

/// A function by its name, whatever the case.
pub fn find(name: &str) -> Option<&'static Function> {
    BY_NAME.get(name.to_ascii_lowercase().as_str()).copied()
}

/// All functions.
pub fn all() -> impl Iterator<Item = &'static Function> {
    table::TABLES.iter().flat_map(|table| table.iter())
}
