//! Ids as bytes, as HugeGraph's stores have them. Clients see these in the bounds of shards, in Base64: `hDI6bG9w` is
//! `2:lop`.
//!
//! A string is its length less one (`10` and six bits, or `11` and fourteen) and its UTF-8 bytes. A number is a zero
//! bit, three bits for how many bytes follow (less one), a bit that is set unless it is negative, its three highest
//! bits, and the bytes, big-endian. A UUID is `0x7F` and sixteen bytes. An edge is its source, `0x82`, the number of
//! its label's parent (or of its label again), the number of its label, its sort values ended by a zero byte, and its
//! target. The order of elements is that of these bytes: shorter strings come first.

use crate::{EdgeId, LabelId, VertexId};

const UUID: u8 = 0x7F;
const OUTGOING: u8 = 0x82;
const SHORT_STRING: u8 = 0x80;
const LONG_STRING: u8 = 0xC0;
const NOT_NEGATIVE: u8 = 0x08;

/// Lengths, less one, that fit the first byte of a string.
const SHORT_STRING_MAX: u16 = 0x3F;

/// Lengths, less one, that fit the first two bytes of a string. Ids are shorter:
/// [`crate::limits::VERTEX_ID_BYTES_MAX`].
const LONG_STRING_MAX: u16 = 0x3FFF;

impl VertexId {
    /// Appends the bytes of this id.
    pub fn write_binary(&self, out: &mut Vec<u8>) {
        match self {
            Self::Number(number) => write_number(out, *number),
            Self::Uuid(bits) => {
                out.push(UUID);
                out.extend_from_slice(&bits.to_be_bytes());
            }
            Self::String(text) => {
                let length = u16::try_from(text.len().saturating_sub(1)).unwrap_or(u16::MAX).min(LONG_STRING_MAX);
                let [high, low] = length.to_be_bytes();
                if length <= SHORT_STRING_MAX {
                    out.push(SHORT_STRING | low);
                } else {
                    out.extend_from_slice(&[LONG_STRING | high, low]);
                }
                out.extend_from_slice(text.as_bytes());
            }
        }
    }
}

impl EdgeId {
    /// Appends the bytes of this id, seen from its source; `parent` as in [`EdgeId::text`].
    pub fn write_binary(&self, parent: LabelId, out: &mut Vec<u8>) {
        self.source.write_binary(out);
        out.push(OUTGOING);
        write_number(out, i64::from(parent.0));
        write_number(out, i64::from(self.label.0));
        out.extend_from_slice(self.sort_values.as_bytes());
        out.push(0);
        self.target.write_binary(out);
    }
}

fn write_number(out: &mut Vec<u8>, number: i64) {
    let sign = if number < 0 { 0 } else { NOT_NEGATIVE };
    let bytes = number.to_be_bytes();
    // One to seven bytes and three bits: the least that hold the number with its sign, which has a bit of its own.
    for following in 1u8..=7 {
        let bits = u32::from(following) * 8 + 3;
        if (number >> bits) == (number >> 63) {
            let [.., high] = (number >> (bits - 3)).to_be_bytes();
            out.push(((following - 1) << 4) | sign | (high & 0x07));
            out.extend(bytes.iter().skip(8 - usize::from(following)));
            return;
        }
    }
    out.push((7 << 4) | sign);
    out.extend_from_slice(&bytes);
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    fn text(id: &VertexId) -> String {
        let mut bytes = Vec::new();
        id.write_binary(&mut bytes);
        STANDARD.encode(bytes)
    }

    fn string(text: &str) -> VertexId {
        VertexId::String(text.into())
    }

    #[test]
    fn the_bytes_are_those_of_recorded_bounds() {
        assert_eq!(text(&string("2:lop")), "hDI6bG9w");
        assert_eq!(text(&VertexId::Number(42)), "CCo=");
        for (source, label, sort_values, target, expected) in [
            ("1:josh", 2, "", "2:lop", "hTE6am9zaIIIAggCAIQyOmxvcA=="),
            ("3:josh", 4, "2021-01-01", "3:vadas", "hTM6am9zaIIIBAgEMjAyMS0wMS0wMQCGMzp2YWRhcw=="),
        ] {
            let id = EdgeId {
                label: LabelId(label),
                source: string(source),
                sort_values: sort_values.into(),
                target: string(target),
            };
            let mut bytes = Vec::new();
            id.write_binary(LabelId(label), &mut bytes);
            assert_eq!(STANDARD.encode(bytes), expected);
        }
    }

    #[test]
    fn numbers_take_as_many_bytes_as_they_need() {
        let bytes = |number| {
            let mut out = Vec::new();
            write_number(&mut out, number);
            out
        };
        assert_eq!(bytes(0), [0x08, 0]);
        assert_eq!(bytes(2_047), [0x0F, 0xFF]);
        assert_eq!(bytes(2_048), [0x18, 0x08, 0]);
        assert_eq!(bytes(-1), [0x07, 0xFF]);
        assert_eq!(bytes(-2_048), [0x00, 0]);
        assert_eq!(bytes(-2_049), [0x17, 0xF7, 0xFF]);
        assert_eq!(bytes((1 << 59) - 1), [0x6F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);
        assert_eq!(bytes(1 << 59), [0x78, 0x08, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes(i64::MIN), [0x70, 0x80, 0, 0, 0, 0, 0, 0, 0]);
        let mut sorted: Vec<i64> = (0..63).map(|bit| 1 << bit).collect();
        sorted.sort_by_key(|number| bytes(*number));
        assert!(sorted.is_sorted(), "numbers that are not negative keep their order");
    }

    #[test]
    fn the_length_of_a_string_takes_one_byte_or_two() {
        let head = |length: usize| {
            let mut out = Vec::new();
            string(&"a".repeat(length)).write_binary(&mut out);
            out.truncate(2);
            out
        };
        assert_eq!(head(1), [0x80, b'a']);
        assert_eq!(head(64), [0xBF, b'a']);
        assert_eq!(head(65), [0xC0, 64]);
        assert_eq!(head(300), [0xC1, 43]);
        let mut uuid = Vec::new();
        VertexId::Uuid(1).write_binary(&mut uuid);
        assert_eq!((uuid.len(), uuid.first(), uuid.last()), (17, Some(&0x7F), Some(&1)));
    }
}
