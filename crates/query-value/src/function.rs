//! Functions of values that the query languages share: conversions, texts, collections, formulas.
//!
//! Results that can be larger than their operands take [`Room`], so that whoever calls bounds them.

pub mod collections;
pub mod convert;
pub mod formula;
mod room;
mod text;
pub mod texts;

pub use room::Room;
pub use text::text;
