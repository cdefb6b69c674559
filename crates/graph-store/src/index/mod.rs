//! Index entries: kept in the batch of their element, whatever writes it.
//!
//! What it is: the difference a write makes to the entries of an element ([`key_codec::index_entries`], a pure function
//! of the schema and the element, has these) ([`changes`]) in the frame of its batch ([`write_unit`]). What it is not:
//! it answers no queries.
//!
//! Invariants:
//! - An element that is stored has exactly the entries `index_entries` gives for it, in every index label that is kept;
//!   one that is not has none. Two exceptions: while an index label is being built (and where it was never built),
//!   older elements may lack theirs; and an expired element may have lost its place in a unique index to another one.
//! - Whoever changes the entries of an element holds its stripe exclusively (of an edge: that of its source, and that
//!   of its target at least shared; or that of the end that is deleted) and has read what is stored, expired or not. An
//!   index label is only kept from a moment on at which all writers know it.
//! - A place in a unique index is given by a writer that holds the stripe of its values exclusively, and taken from its
//!   holder only by one that holds the holder's stripes.
//!
//! A write to a label without indexes does not come here, and reads nothing.
//!
//! Start reading at [`changes::IndexChanges`].

pub(crate) mod changes;
pub(crate) mod label_index;
mod unique;
pub(crate) mod write_unit;
