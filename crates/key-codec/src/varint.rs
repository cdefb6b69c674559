//! Variable-length integers for values (LEB128): seven bits a byte, least significant first. Not order-preserving.

/// Appends an unsigned integer: 1 byte below 128, at most 10.
pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(u8::try_from(number & 0x7F).unwrap_or_default() | 0x80);
        number >>= 7;
    }
    out.push(u8::try_from(number).unwrap_or_default());
}

/// Appends a signed integer in zigzag form, so that small negative ones stay short.
pub(crate) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, ((number << 1) ^ (number >> 63)).cast_unsigned());
}

/// The signed integer of a zigzag form.
pub(crate) fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -((number & 1).cast_signed())
}
