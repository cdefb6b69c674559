//! Finding elements by their properties.
//!
//! What it is: [`plan`] chooses, for each label, what the store is asked (ids made of primary keys, or indexes);
//! [`access`] turns the use of an index into ranges of its table; [`run`] walks them, fetches the elements in rounds
//! and gives out those that meet all conditions; [`find`] does so page by page or batch by batch. What it is not: lists
//! without conditions and the edges of one vertex need no index and are in `read`.
//!
//! Invariants:
//! - The order of results is that of one index, the driver. It is chosen by the schema and the conditions alone, so it
//!   is the same in every call, and a page token names it.
//! - An element is given out once: an entry counts only if it is the first one of the element that the ranges reach.
//! - The catalogue is that of the moment of the snapshot, from which index and elements are read, and every element is
//!   compared with all conditions itself.
//!
//! Start reading at [`find::list`].

pub(crate) mod access;
mod element;
pub(crate) mod find;
pub(crate) mod plan;
mod run;

pub(crate) use self::element::Element;
