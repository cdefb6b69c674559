//! A cursor over bytes whose every step can fail, and the variable-length integers of the format (LEB128, zigzag for
//! signed ones, shortest form only).

use crate::error::TaggedError;

/// Reads forward.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn byte(&mut self) -> Result<u8, TaggedError> {
        let (first, rest) = self.rest.split_first().ok_or(TaggedError("ends too early"))?;
        self.rest = rest;
        Ok(*first)
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], TaggedError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(TaggedError("ends too early"))?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], TaggedError> {
        self.take(N)?.try_into().map_err(|_| TaggedError("ends too early"))
    }

    pub(crate) fn varint(&mut self) -> Result<u64, TaggedError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                return Err(TaggedError("a number of more than 64 bits"));
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                if byte == 0 && shift > 0 {
                    return Err(TaggedError("a number in a longer form than needed"));
                }
                return Ok(number);
            }
        }
        Err(TaggedError("a number of more than 64 bits"))
    }

    pub(crate) fn varint_u32(&mut self) -> Result<u32, TaggedError> {
        u32::try_from(self.varint()?).map_err(|_| TaggedError("a number out of its range"))
    }

    pub(crate) fn signed(&mut self) -> Result<i64, TaggedError> {
        let number = self.varint()?;
        Ok((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
    }

    /// A signed number of a narrower type.
    pub(crate) fn narrow<T: TryFrom<i64>>(&mut self) -> Result<T, TaggedError> {
        T::try_from(self.signed()?).map_err(|_| TaggedError("a number out of its range"))
    }

    /// A length and as many bytes.
    pub(crate) fn run(&mut self) -> Result<&'a [u8], TaggedError> {
        let length = usize::try_from(self.varint()?).map_err(|_| TaggedError("a length beyond the end"))?;
        self.take(length)
    }
}

/// Appends an unsigned integer.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(u8::try_from(number & 0x7F).unwrap_or_default() | 0x80);
        number >>= 7;
    }
    out.push(u8::try_from(number).unwrap_or_default());
}

/// Appends a signed integer.
pub(crate) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put_varint(out, ((number << 1) ^ (number >> 63)).cast_unsigned());
}

/// Appends a length and the bytes.
pub(crate) fn put_run(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    out.extend_from_slice(bytes);
}
