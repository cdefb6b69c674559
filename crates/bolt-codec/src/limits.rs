//! Limits of what is read, each with its reason. Exceeding one is a [`crate::CodecError::TooLarge`] that names it.

/// How deep values may be nested: reading recurses.
pub const NESTING_MAX: usize = 128;

/// Values in a message: a null takes one byte there and thirty times that in memory.
pub const VALUES_MAX: usize = 2_000_000;

/// Bytes of one chunk: what its length of two bytes can say.
pub const CHUNK_BYTES_MAX: usize = 0xFFFF;

/// Bytes of a number in the handshake: 64 bits, seven in a byte.
pub const VARINT_BYTES_MAX: usize = 10;
