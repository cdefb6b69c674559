//! Framing: a message is a row of chunks, each with its length in two bytes, and ends with a chunk of length zero. A
//! length of zero between messages means nothing: it keeps the connection open.

use crate::error::CodecError;
use crate::limits::CHUNK_BYTES_MAX;

/// What ends a message, and what keeps a connection open.
pub const END: [u8; 2] = [0, 0];

/// Puts messages together from the bytes of a connection, in whichever pieces they come.
#[derive(Debug, Default)]
pub struct Dechunker {
    message: Vec<u8>,
    /// The first byte of a length whose second one is missing.
    half: Option<u8>,
    /// Bytes missing of the chunk.
    missing: usize,
    bytes_max: usize,
}

impl Dechunker {
    /// Takes messages of at most so many bytes.
    #[must_use]
    pub fn new(bytes_max: usize) -> Self {
        Self { bytes_max, ..Self::default() }
    }

    /// Changes how many bytes a message may have.
    pub fn limit(&mut self, bytes_max: usize) {
        self.bytes_max = bytes_max;
    }

    /// Bytes of a message that has begun.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.message.len()
    }

    /// Takes bytes, and hands on each message they complete.
    ///
    /// # Errors
    /// A message that is too large; nothing can be read after it.
    pub fn feed(&mut self, mut bytes: &[u8], mut take: impl FnMut(Vec<u8>)) -> Result<(), CodecError> {
        while !bytes.is_empty() {
            if self.missing > 0 {
                let (part, rest) = bytes.split_at(self.missing.min(bytes.len()));
                self.message.extend_from_slice(part);
                self.missing -= part.len();
                bytes = rest;
                continue;
            }
            let Some((byte, rest)) = bytes.split_first() else { break };
            bytes = rest;
            let Some(high) = self.half.take() else {
                self.half = Some(*byte);
                continue;
            };
            self.missing = usize::from(u16::from_be_bytes([high, *byte]));
            if self.missing == 0 && !self.message.is_empty() {
                take(std::mem::take(&mut self.message));
            }
            if self.message.len() + self.missing > self.bytes_max {
                return Err(CodecError::TooLarge {
                    what: "bytes of a message",
                    limit: "server.request_body_bytes_max, or LOGON_BYTES_MAX before the login",
                    max: self.bytes_max,
                });
            }
        }
        Ok(())
    }
}

/// Appends a message, whose bytes `write` appends, in chunks. What `write` gives back is given back.
pub fn message<T>(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    let start = out.len();
    out.extend_from_slice(&END);
    let given = write(out);
    let length = out.len() - start - 2;
    match u16::try_from(length) {
        Ok(length) => {
            if let Some(place) = out.get_mut(start..start + 2) {
                place.copy_from_slice(&length.to_be_bytes());
            }
        }
        Err(_) => {
            let whole = out.split_off(start);
            out.reserve(whole.len() + whole.len() / CHUNK_BYTES_MAX * 2 + 2);
            for chunk in whole.get(2..).unwrap_or_default().chunks(CHUNK_BYTES_MAX) {
                // A chunk is at most as long as that.
                out.extend_from_slice(&u16::try_from(chunk.len()).unwrap_or(u16::MAX).to_be_bytes());
                out.extend_from_slice(chunk);
            }
        }
    }
    out.extend_from_slice(&END);
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(dechunker: &mut Dechunker, bytes: &[u8]) -> Result<Vec<Vec<u8>>, CodecError> {
        let mut messages = Vec::new();
        dechunker.feed(bytes, |message| messages.push(message)).map(|()| messages)
    }

    #[test]
    fn messages_of_any_size_come_back_in_any_pieces() {
        for size in [1, 2, 65_534, 65_535, 65_536, 200_000] {
            let sent: Vec<u8> = (0..size).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let mut bytes = vec![0, 0];
            message(&mut bytes, |out| out.extend_from_slice(&sent));
            bytes.extend([0, 0, 0, 0]);
            message(&mut bytes, |out| out.push(7));
            for piece in [1, 3, 1_000, bytes.len()] {
                let mut dechunker = Dechunker::new(1_000_000);
                let parts = bytes.chunks(piece).map(|part| all(&mut dechunker, part).unwrap());
                let read: Vec<Vec<u8>> = parts.flatten().collect();
                assert_eq!(read, [sent.clone(), vec![7]], "{size} in pieces of {piece}");
            }
        }
    }

    #[test]
    fn a_message_is_refused_before_it_is_held() {
        let mut dechunker = Dechunker::new(10);
        assert!(all(&mut dechunker, &[0, 8, 1, 2, 3, 4, 5, 6, 7, 8]).unwrap().is_empty());
        assert!(matches!(all(&mut dechunker, &[0, 3]), Err(CodecError::TooLarge { max: 10, .. })));
        assert_eq!(dechunker.held_bytes(), 8);
    }
}
