//! The bounds of tagged values, each with its reason.

/// Collections inside collections. Readers recurse, so this bounds their stack; values of queries rarely have more than
/// three.
pub const DEPTH_MAX: usize = 64;

/// Bytes of everything an element has under one key: it is read and written as a whole with its element.
pub const BYTES_MAX: usize = 4 << 20;

/// Values an element can have under one key: each is looked at when one is added.
pub const ENTRIES_MAX: usize = 65_535;

/// Properties of one property value: they are decoded with it.
pub const META_MAX: usize = 1_024;

/// Bytes of the digits of a number up to which it has a place among others: more take long to turn into decimal digits.
pub const NUMBER_BYTES_MAX: usize = 1_024;
