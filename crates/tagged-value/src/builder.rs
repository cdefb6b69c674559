//! Writing a value.

use crate::TaggedError;
use crate::limits::{BYTES_MAX, DEPTH_MAX};
use crate::reader::{put_run, put_signed, put_varint};
use crate::token::{self, Token, check_integer, check_nanos, check_offset};

/// Appends values to bytes. A whole value is one call; items of a collection are those of the function that gets a
/// builder for them.
#[derive(Debug, Default)]
pub struct Builder {
    bytes: Vec<u8>,
    depth: usize,
}

impl Builder {
    /// A builder of nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The encoding of one value.
    ///
    /// # Errors
    /// As [`Self::put`].
    pub fn encode(token: Token<'_>) -> Result<Box<[u8]>, TaggedError> {
        let mut builder = Self::new();
        builder.put(token)?;
        builder.finish()
    }

    /// Appends a value; of a collection, with all its items as they are encoded.
    ///
    /// # Errors
    /// A value that cannot be: parts out of their range, bytes that are no items, more than
    /// [`BYTES_MAX`] bytes.
    pub fn put(&mut self, token: Token<'_>) -> Result<(), TaggedError> {
        let out = &mut self.bytes;
        match token {
            Token::Null => out.push(token::NULL),
            Token::Bool(value) => out.push(if value { token::TRUE } else { token::FALSE }),
            Token::Byte(number) => put_integer(out, token::BYTE, i64::from(number)),
            Token::Short(number) => put_integer(out, token::SHORT, i64::from(number)),
            Token::Int(number) => put_integer(out, token::INT, i64::from(number)),
            Token::Long(number) => put_integer(out, token::LONG, number),
            Token::BigInteger(bytes) => {
                check_integer(bytes)?;
                put_bytes(out, token::BIG_INTEGER, bytes);
            }
            Token::Float(number) => {
                out.push(token::FLOAT);
                out.extend_from_slice(&number.to_bits().to_le_bytes());
            }
            Token::Double(number) => {
                out.push(token::DOUBLE);
                out.extend_from_slice(&number.to_bits().to_le_bytes());
            }
            Token::BigDecimal { scale, unscaled } => {
                check_integer(unscaled)?;
                put_integer(out, token::BIG_DECIMAL, scale);
                put_run(out, unscaled);
            }
            Token::Char(value) => {
                out.push(token::CHAR);
                put_varint(out, u64::from(u32::from(value)));
            }
            Token::String(text) => put_bytes(out, token::STRING, text.as_bytes()),
            Token::Bytes(bytes) => put_bytes(out, token::BYTES, bytes),
            Token::Uuid(bits) => {
                out.push(token::UUID);
                out.extend_from_slice(&bits.to_be_bytes());
            }
            Token::DateTime { seconds, nanos, offset_seconds } => {
                check_nanos(nanos)?;
                check_offset(offset_seconds)?;
                put_integer(out, token::DATE_TIME, seconds);
                put_varint(out, u64::from(nanos));
                put_signed(out, i64::from(offset_seconds));
            }
            Token::Duration { seconds, nanos } => {
                check_nanos(nanos)?;
                put_integer(out, token::DURATION, seconds);
                put_varint(out, u64::from(nanos));
            }
            Token::List(items) => return self.list(|inner| inner.put_all(items)),
            Token::Set(items) => return self.set(|inner| inner.put_all(items)),
            Token::Map(items) => return self.map(|inner| inner.put_all(items)),
        }
        self.check_size()
    }

    fn put_all<'a>(&mut self, items: impl Iterator<Item = Result<Token<'a>, TaggedError>>) -> Result<(), TaggedError> {
        items.into_iter().try_for_each(|item| self.put(item?))
    }

    /// Appends a list of what `put` appends.
    ///
    /// # Errors
    /// Those of `put`; lists in too many others ([`DEPTH_MAX`]); too many bytes.
    pub fn list<E: From<TaggedError>>(&mut self, put: impl FnOnce(&mut Self) -> Result<(), E>) -> Result<(), E> {
        self.collection(token::LIST, put)
    }

    /// Appends a set of what `put` appends; none of it may be there twice.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub fn set<E: From<TaggedError>>(&mut self, put: impl FnOnce(&mut Self) -> Result<(), E>) -> Result<(), E> {
        self.collection(token::SET, put)
    }

    /// Appends a map of the keys and values that `put` appends in turn.
    ///
    /// # Errors
    /// As [`Self::list`].
    pub fn map<E: From<TaggedError>>(&mut self, put: impl FnOnce(&mut Self) -> Result<(), E>) -> Result<(), E> {
        self.collection(token::MAP, put)
    }

    fn collection<E: From<TaggedError>>(
        &mut self,
        tag: u8,
        put: impl FnOnce(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.depth >= DEPTH_MAX {
            return Err(TaggedError("collections are nested too deeply (at most 64)").into());
        }
        let mut inner = Self { bytes: Vec::new(), depth: self.depth + 1 };
        put(&mut inner)?;
        put_bytes(&mut self.bytes, tag, &inner.bytes);
        Ok(self.check_size()?)
    }

    fn check_size(&self) -> Result<(), TaggedError> {
        if self.bytes.len() > BYTES_MAX {
            return Err(TaggedError("a value of more than 4 MiB"));
        }
        Ok(())
    }

    /// What was appended.
    ///
    /// # Errors
    /// That it is not one value.
    pub fn finish(self) -> Result<Box<[u8]>, TaggedError> {
        token::check(&self.bytes)?;
        Ok(self.bytes.into())
    }
}

fn put_integer(out: &mut Vec<u8>, tag: u8, number: i64) {
    out.push(tag);
    put_signed(out, number);
}

fn put_bytes(out: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    out.push(tag);
    put_run(out, bytes);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{check, read};

    /// A value of the tests, which owns what it is made of.
    #[derive(Clone, Debug, PartialEq)]
    enum Sample {
        Null,
        Bool(bool),
        Byte(i8),
        Short(i16),
        Int(i32),
        Long(i64),
        Float(u32),
        Double(u64),
        Big(i128),
        Decimal(i64, i128),
        Char(char),
        String(String),
        Bytes(Vec<u8>),
        Uuid(u128),
        DateTime(i64, u32, i32),
        Duration(i64, u32),
        List(Vec<Self>),
        Set(Vec<Self>),
        Map(Vec<(Self, Self)>),
    }

    /// The shortest two's complement form.
    fn shortest(number: i128) -> Vec<u8> {
        let bytes = number.to_be_bytes();
        let sign = if number < 0 { 0xFF } else { 0 };
        let from = (0..15).find(|at| bytes[*at] != sign || (bytes[at + 1] ^ sign) >= 0x80).unwrap_or(15);
        bytes[from..].to_vec()
    }

    fn put(builder: &mut Builder, sample: &Sample) -> Result<(), TaggedError> {
        match sample {
            Sample::Null => builder.put(Token::Null),
            Sample::Bool(value) => builder.put(Token::Bool(*value)),
            Sample::Byte(number) => builder.put(Token::Byte(*number)),
            Sample::Short(number) => builder.put(Token::Short(*number)),
            Sample::Int(number) => builder.put(Token::Int(*number)),
            Sample::Long(number) => builder.put(Token::Long(*number)),
            Sample::Float(bits) => builder.put(Token::Float(f32::from_bits(*bits))),
            Sample::Double(bits) => builder.put(Token::Double(f64::from_bits(*bits))),
            Sample::Big(number) => builder.put(Token::BigInteger(&shortest(*number))),
            Sample::Decimal(scale, number) => {
                builder.put(Token::BigDecimal { scale: *scale, unscaled: &shortest(*number) })
            }
            Sample::Char(value) => builder.put(Token::Char(*value)),
            Sample::String(text) => builder.put(Token::String(text)),
            Sample::Bytes(bytes) => builder.put(Token::Bytes(bytes)),
            Sample::Uuid(bits) => builder.put(Token::Uuid(*bits)),
            Sample::DateTime(seconds, nanos, offset_seconds) => {
                builder.put(Token::DateTime { seconds: *seconds, nanos: *nanos, offset_seconds: *offset_seconds })
            }
            Sample::Duration(seconds, nanos) => builder.put(Token::Duration { seconds: *seconds, nanos: *nanos }),
            Sample::List(items) => builder.list(|inner| items.iter().try_for_each(|item| put(inner, item))),
            Sample::Set(items) => builder.set(|inner| items.iter().try_for_each(|item| put(inner, item))),
            Sample::Map(items) => builder.map(|inner| {
                items.iter().try_for_each(|(key, value)| {
                    put(inner, key)?;
                    put(inner, value)
                })
            }),
        }
    }

    fn big(bytes: &[u8]) -> i128 {
        let start = if bytes[0] >= 0x80 { -1 } else { 0 };
        bytes.iter().fold(start, |number, byte| (number << 8) | i128::from(*byte))
    }

    fn sample(token: Token<'_>) -> Sample {
        let all = |items: crate::Items<'_>| items.map(|item| sample(item.unwrap())).collect::<Vec<_>>();
        match token {
            Token::Null => Sample::Null,
            Token::Bool(value) => Sample::Bool(value),
            Token::Byte(number) => Sample::Byte(number),
            Token::Short(number) => Sample::Short(number),
            Token::Int(number) => Sample::Int(number),
            Token::Long(number) => Sample::Long(number),
            Token::BigInteger(bytes) => Sample::Big(big(bytes)),
            Token::Float(number) => Sample::Float(number.to_bits()),
            Token::Double(number) => Sample::Double(number.to_bits()),
            Token::BigDecimal { scale, unscaled } => Sample::Decimal(scale, big(unscaled)),
            Token::Char(value) => Sample::Char(value),
            Token::String(text) => Sample::String(text.to_owned()),
            Token::Bytes(bytes) => Sample::Bytes(bytes.to_vec()),
            Token::Uuid(bits) => Sample::Uuid(bits),
            Token::DateTime { seconds, nanos, offset_seconds } => Sample::DateTime(seconds, nanos, offset_seconds),
            Token::Duration { seconds, nanos } => Sample::Duration(seconds, nanos),
            Token::List(items) => Sample::List(all(items)),
            Token::Set(items) => Sample::Set(all(items)),
            Token::Map(items) => {
                let items = all(items);
                Sample::Map(items.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect())
            }
        }
    }

    fn samples() -> impl Strategy<Value = Sample> {
        let simple = prop_oneof![
            Just(Sample::Null),
            any::<bool>().prop_map(Sample::Bool),
            any::<i8>().prop_map(Sample::Byte),
            any::<i16>().prop_map(Sample::Short),
            any::<i32>().prop_map(Sample::Int),
            any::<i64>().prop_map(Sample::Long),
            any::<u32>().prop_map(Sample::Float),
            any::<u64>().prop_map(Sample::Double),
            prop_oneof![any::<i128>(), -300i128..300].prop_map(Sample::Big),
            (any::<i64>(), -70_000i128..70_000).prop_map(|(scale, digits)| Sample::Decimal(scale, digits)),
            any::<char>().prop_map(Sample::Char),
            ".{0,12}".prop_map(Sample::String),
            any::<Vec<u8>>().prop_map(Sample::Bytes),
            any::<u128>().prop_map(Sample::Uuid),
            (any::<i64>(), 0u32..1_000_000_000, -64_800i32..=64_800).prop_map(|(s, n, o)| Sample::DateTime(s, n, o)),
            (any::<i64>(), 0u32..1_000_000_000).prop_map(|(s, n)| Sample::Duration(s, n)),
        ];
        simple.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Sample::List),
                prop::collection::vec(inner.clone(), 0..4).prop_map(Sample::Set),
                prop::collection::vec((inner.clone(), inner), 0..4).prop_map(Sample::Map),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_round_trip_and_are_copied_as_they_are(value in samples()) {
            let mut builder = Builder::new();
            put(&mut builder, &value)?;
            let bytes = builder.finish()?;
            prop_assert_eq!(check(&bytes), Ok(()));
            prop_assert_eq!(sample(read(&bytes)?), value);
            prop_assert_eq!(Builder::encode(read(&bytes)?)?, bytes);
        }

        #[test]
        fn any_bytes_are_read_without_panic_and_in_one_form(bytes in any::<Vec<u8>>()) {
            if check(&bytes).is_ok() {
                prop_assert_eq!(&*Builder::encode(read(&bytes)?)?, &*bytes);
            }
        }

        #[test]
        fn a_value_that_is_cut_off_is_none(value in samples(), cut in any::<prop::sample::Index>()) {
            let mut builder = Builder::new();
            put(&mut builder, &value)?;
            let bytes = builder.finish()?;
            prop_assert!(read(&bytes[..cut.index(bytes.len())]).is_err());
        }
    }

    #[test]
    fn depth_is_bounded_in_both_directions() {
        fn nest(builder: &mut Builder, depth: usize) -> Result<(), TaggedError> {
            if depth == 0 { Ok(()) } else { builder.list(|inner| nest(inner, depth - 1)) }
        }
        let mut builder = Builder::new();
        nest(&mut builder, DEPTH_MAX).unwrap();
        let bytes = builder.finish().unwrap();
        assert_eq!(check(&bytes), Ok(()));
        assert!(nest(&mut Builder::new(), DEPTH_MAX + 1).is_err());
        let mut deeper = vec![token::LIST];
        put_run(&mut deeper, &bytes);
        assert!(check(&deeper).is_err());
    }

    #[test]
    fn values_that_cannot_be_are_refused() {
        for wrong in [
            Token::BigInteger(&[]),
            Token::BigInteger(&[0, 1]),
            Token::BigDecimal { scale: 0, unscaled: &[0xFF, 0x80] },
            Token::Duration { seconds: 0, nanos: 1_000_000_000 },
            Token::DateTime { seconds: 0, nanos: 0, offset_seconds: 64_801 },
        ] {
            assert!(Builder::encode(wrong).is_err(), "{wrong:?}");
        }
        assert!(Builder::encode(Token::Bytes(&vec![0; BYTES_MAX])).is_err());
        let mut odd = Builder::new();
        odd.map(|inner| inner.put(Token::Null)).unwrap();
        assert!(odd.finish().is_err());
        assert!(Builder::new().finish().is_err());
    }
}
