//! What reading is made of: elements by id, along edges, and sources of lists.

pub(crate) mod by_id;
pub(crate) mod edges;
pub(crate) mod page;
pub(crate) mod progress;
pub(crate) mod source;
pub(crate) mod vertices;
pub(crate) mod view;
