//! Page tokens: where a list goes on, as text a client sends back unchanged.
//!
//! Base64 (the alphabet for URLs, no padding) of: a version byte, a fingerprint of the query, the stage (direction and
//! label, for lists over several ranges), the length of the partition, the last key that was returned. The fingerprint
//! ties a token to its query.

use std::hash::{BuildHasher, BuildHasherDefault, Hash};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kv::Key;
use rustc_hash::FxHasher;

use store_error::StoreError;

use crate::limits;

const VERSION: u8 = 1;
const HEAD_BYTES: usize = 1 + 8 + 1 + 4 + 4;

/// Where a list goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// Which direction of a neighbourhood: 0 out, 1 in.
    pub(crate) direction: u8,
    /// Which label's range; 0 where there is only one range.
    pub(crate) label: u32,
    /// The last key returned.
    pub(crate) key: Vec<u8>,
    /// How much of it is the partition.
    pub(crate) partition_len: usize,
}

impl Position {
    pub(crate) fn key(&self) -> Key<'_> {
        Key::new(&self.key, self.partition_len)
    }
}

/// A fingerprint of what a query asks for.
pub(crate) fn fingerprint(query: impl Hash) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(query)
}

/// The token of a position.
pub(crate) fn encode(position: &Position, fingerprint: u64) -> String {
    let mut bytes = Vec::with_capacity(HEAD_BYTES + position.key.len());
    bytes.push(VERSION);
    bytes.extend_from_slice(&fingerprint.to_be_bytes());
    bytes.push(position.direction);
    bytes.extend_from_slice(&position.label.to_be_bytes());
    bytes.extend_from_slice(&u32::try_from(position.partition_len).unwrap_or(u32::MAX).to_be_bytes());
    bytes.extend_from_slice(&position.key);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The position of a token.
pub(crate) fn decode(token: &str, fingerprint: u64) -> Result<Position, StoreError> {
    let damaged = || StoreError::Page { reason: "it is damaged" };
    if token.len() > limits::PAGE_TOKEN_BYTES_MAX {
        return Err(StoreError::Page { reason: "it is too long" });
    }
    let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| damaged())?;
    let (head, key) = bytes.split_first_chunk::<HEAD_BYTES>().ok_or_else(damaged)?;
    let [version, f0, f1, f2, f3, f4, f5, f6, f7, direction, l0, l1, l2, l3, p0, p1, p2, p3] = *head;
    if version != VERSION {
        return Err(StoreError::Page { reason: "another version of the server made it" });
    }
    if u64::from_be_bytes([f0, f1, f2, f3, f4, f5, f6, f7]) != fingerprint {
        return Err(StoreError::Page { reason: "it belongs to another query" });
    }
    let partition_len = usize::try_from(u32::from_be_bytes([p0, p1, p2, p3])).map_err(|_| damaged())?;
    if direction > 1 || partition_len > key.len() {
        return Err(damaged());
    }
    Ok(Position { direction, label: u32::from_be_bytes([l0, l1, l2, l3]), key: key.to_vec(), partition_len })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_round_trip_for_their_query_only() {
        let position = Position { direction: 1, label: 7, key: b"some key".to_vec(), partition_len: 4 };
        let query = fingerprint(("vertices", 3));
        let token = encode(&position, query);
        assert_eq!(decode(&token, query).unwrap(), position);
        assert!(token.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_'), "{token}");
        for (token, query) in
            [(&*token, query + 1), ("", query), ("####", query), (&token[1..], query), ("AAAA", query)]
        {
            assert!(matches!(decode(token, query), Err(StoreError::Page { .. })), "{token}");
        }
    }
}
