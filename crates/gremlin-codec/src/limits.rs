//! Limits of what is read, each with its reason. Exceeding one is a [`crate::CodecError::TooLarge`] that names it.

/// Bytes of a message. As large as the largest batch that REST takes.
pub const MESSAGE_BYTES_MAX: usize = 16 * 1024 * 1024;

/// How deep values may be nested: reading recurses. JSON is bounded by its own parser, at 128 levels.
pub const NESTING_MAX: usize = 96;

/// Values in a message: a null takes two bytes there and 25 times that in memory.
pub const ITEMS_MAX: usize = 1_000_000;
