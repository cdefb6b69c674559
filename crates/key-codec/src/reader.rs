//! A cursor over stored bytes whose every step can fail.

use crate::CodecError;
use crate::varint;

/// Reads forward; errors carry what was being read and where.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    what: &'static str,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Self { bytes, at: 0, what }
    }

    pub(crate) fn error(&self, problem: &'static str) -> CodecError {
        CodecError { what: self.what, problem, at: self.at }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// What is left to read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The next byte, not read yet; `None` at the end.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(crate) fn byte(&mut self) -> Result<u8, CodecError> {
        let byte = self.bytes.get(self.at).copied().ok_or_else(|| self.error("ends too early"))?;
        self.at += 1;
        Ok(byte)
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], CodecError> {
        let end = self.at.checked_add(len);
        let taken = end.and_then(|end| self.bytes.get(self.at..end)).ok_or_else(|| self.error("ends too early"))?;
        self.at += len;
        Ok(taken)
    }

    /// The bytes before the next `end`, which is read too.
    pub(crate) fn until(&mut self, end: u8) -> Result<&'a [u8], CodecError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let len = rest.iter().position(|byte| *byte == end).ok_or_else(|| self.error("a text does not end"))?;
        let taken = rest.get(..len).unwrap_or_default();
        self.at += len + 1;
        Ok(taken)
    }

    pub(crate) fn varint(&mut self) -> Result<u64, CodecError> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                return Err(self.error("a number of more than 64 bits"));
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                if byte == 0 && shift > 0 {
                    return Err(self.error("a number in a longer form than needed"));
                }
                return Ok(number);
            }
        }
        Err(self.error("a number of more than 64 bits"))
    }

    pub(crate) fn signed_varint(&mut self) -> Result<i64, CodecError> {
        self.varint().map(varint::unzigzag)
    }

    pub(crate) fn varint_u32(&mut self) -> Result<u32, CodecError> {
        let number = self.varint()?;
        u32::try_from(number).map_err(|_| self.error("a number of more than 32 bits"))
    }

    /// A length that the remaining bytes can hold.
    pub(crate) fn length(&mut self) -> Result<usize, CodecError> {
        let number = self.varint()?;
        usize::try_from(number)
            .ok()
            .filter(|length| *length <= self.remaining())
            .ok_or_else(|| self.error("a length beyond the end"))
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, CodecError> {
        let length = self.length()?;
        let bytes = self.take(length)?;
        std::str::from_utf8(bytes).map_err(|_| self.error("text is not UTF-8"))
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], CodecError> {
        let bytes = self.take(N)?;
        bytes.try_into().map_err(|_| self.error("ends too early"))
    }

    pub(crate) fn end(&self) -> Result<(), CodecError> {
        if self.is_at_end() { Ok(()) } else { Err(self.error("has bytes beyond its end")) }
    }
}
