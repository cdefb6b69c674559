//! Values that say their own type, as bytes: what a property of an auto graph holds.
//!
//! What it is: the encoding of one value ([`Token`], [`Builder`]) and of all values an element has under one key
//! ([`Entry`], [`put_entries`]), with an order and an equality on the bytes that conditions use ([`order`], [`equal`]).
//! `docs/storage-format.md` shows the layout; it is part of the storage format. What it is not: it knows no graph, no
//! schema, no JSON, and no semantics of a query language: whether `1` and `1.0` are equal in Gremlin is not decided
//! here.
//!
//! Invariants:
//! - Reading any bytes gives a value or a [`TaggedError`]; it never panics, and recursion is bounded by
//!   [`limits::DEPTH_MAX`].
//! - Every value has exactly one encoding, and a reader accepts no other: equal bytes are equal values of equal types.
//! - Nothing is copied while reading; what is allocated is what a caller builds of the tokens.
//!
//! Start reading at [`Token`].

mod builder;
mod cell;
mod compare;
mod error;
pub mod limits;
mod number;
mod reader;
mod token;

pub use builder::Builder;
pub use cell::{Entries, Entry, EntryId, Meta, MetaEntries, entries, put_entries};
pub use compare::{equal, order, text_after};
pub use error::TaggedError;
pub use number::{exact_number, nearest_float};
pub use token::{Items, Token, check, read};
