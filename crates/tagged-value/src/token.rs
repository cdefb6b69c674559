//! One value: what its bytes say.

use crate::error::TaggedError;
use crate::limits::DEPTH_MAX;
use crate::reader::Reader;

pub(crate) const NULL: u8 = 0;
pub(crate) const FALSE: u8 = 1;
pub(crate) const TRUE: u8 = 2;
pub(crate) const BYTE: u8 = 3;
pub(crate) const SHORT: u8 = 4;
pub(crate) const INT: u8 = 5;
pub(crate) const LONG: u8 = 6;
pub(crate) const BIG_INTEGER: u8 = 7;
pub(crate) const FLOAT: u8 = 8;
pub(crate) const DOUBLE: u8 = 9;
pub(crate) const BIG_DECIMAL: u8 = 10;
pub(crate) const CHAR: u8 = 11;
pub(crate) const STRING: u8 = 12;
pub(crate) const BYTES: u8 = 13;
pub(crate) const UUID: u8 = 14;
pub(crate) const DATE_TIME: u8 = 15;
pub(crate) const DURATION: u8 = 16;
pub(crate) const LIST: u8 = 17;
pub(crate) const SET: u8 = 18;
pub(crate) const MAP: u8 = 19;

/// Offsets from UTC reach 18 hours either way, as in Java's `ZoneOffset`.
const OFFSET_SECONDS_MAX: u32 = 18 * 3600;
const NANOS_PER_SECOND: u32 = 1_000_000_000;

/// One value, of a simple type or a collection whose items are read one by one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'a> {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// 8-bit integer.
    Byte(i8),
    /// 16-bit integer.
    Short(i16),
    /// 32-bit integer.
    Int(i32),
    /// 64-bit integer.
    Long(i64),
    /// An integer of any size: two's complement, big-endian, no byte more than needed.
    BigInteger(&'a [u8]),
    /// 32-bit float, by its bits.
    Float(f32),
    /// 64-bit float, by its bits.
    Double(f64),
    /// `unscaled` (as in [`Self::BigInteger`]) times ten to the power of minus `scale`.
    BigDecimal {
        /// Digits after the point; negative: zeros before it.
        scale: i64,
        /// The digits.
        unscaled: &'a [u8],
    },
    /// A character.
    Char(char),
    /// A text.
    String(&'a str),
    /// Bytes.
    Bytes(&'a [u8]),
    /// The 128 bits of a UUID, most significant first.
    Uuid(u128),
    /// A moment as a clock at an offset from UTC shows it.
    DateTime {
        /// Whole seconds since 1970 UTC, rounded down.
        seconds: i64,
        /// Nanoseconds after these.
        nanos: u32,
        /// Seconds the clock is ahead of UTC.
        offset_seconds: i32,
    },
    /// A length of time.
    Duration {
        /// Whole seconds, rounded down.
        seconds: i64,
        /// Nanoseconds after these.
        nanos: u32,
    },
    /// Values in order.
    List(Items<'a>),
    /// Values without repetitions, in the order of first appearance.
    Set(Items<'a>),
    /// Keys and values in turn, in the order of first appearance.
    Map(Items<'a>),
}

/// The items of a collection (of a map keys and values in turn). After an error there are no more.
#[derive(Clone, Copy, Debug)]
pub struct Items<'a> {
    reader: Reader<'a>,
    /// How many collections these items are in.
    depth: usize,
}

impl PartialEq for Items<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl<'a> Items<'a> {
    /// The encoded items that are still to come, one after the other.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.reader.rest()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.reader.is_at_end()
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Result<Token<'a>, TaggedError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_at_end() {
            return None;
        }
        let token = read_token(&mut self.reader, self.depth);
        if token.is_err() {
            self.reader = Reader::new(&[]);
        }
        Some(token)
    }
}

/// Reads the one value that `bytes` are. The items of a collection are only looked at when they are asked for: see
/// [`check`].
///
/// # Errors
/// [`TaggedError`].
pub fn read(bytes: &[u8]) -> Result<Token<'_>, TaggedError> {
    let mut reader = Reader::new(bytes);
    let token = read_token(&mut reader, 0)?;
    if reader.is_at_end() { Ok(token) } else { Err(TaggedError("bytes beyond its end")) }
}

/// Whether `bytes` are one value, with all that is in it.
///
/// # Errors
/// [`TaggedError`].
pub fn check(bytes: &[u8]) -> Result<(), TaggedError> {
    check_token(read(bytes)?)
}

fn check_token(token: Token<'_>) -> Result<(), TaggedError> {
    match token {
        Token::List(mut items) | Token::Set(mut items) => items.try_for_each(|item| check_token(item?)),
        Token::Map(items) => {
            let mut count = 0usize;
            for item in items {
                check_token(item?)?;
                count += 1;
            }
            if count.is_multiple_of(2) { Ok(()) } else { Err(TaggedError("a key of a map without a value")) }
        }
        _ => Ok(()),
    }
}

/// Reads a value inside `depth` collections.
pub(crate) fn read_token<'a>(reader: &mut Reader<'a>, depth: usize) -> Result<Token<'a>, TaggedError> {
    Ok(match reader.byte()? {
        NULL => Token::Null,
        FALSE => Token::Bool(false),
        TRUE => Token::Bool(true),
        BYTE => Token::Byte(reader.narrow()?),
        SHORT => Token::Short(reader.narrow()?),
        INT => Token::Int(reader.narrow()?),
        LONG => Token::Long(reader.signed()?),
        BIG_INTEGER => Token::BigInteger(integer(reader)?),
        FLOAT => Token::Float(f32::from_bits(u32::from_le_bytes(reader.array()?))),
        DOUBLE => Token::Double(f64::from_bits(u64::from_le_bytes(reader.array()?))),
        BIG_DECIMAL => Token::BigDecimal { scale: reader.signed()?, unscaled: integer(reader)? },
        CHAR => Token::Char(char::from_u32(reader.varint_u32()?).ok_or(TaggedError("no character"))?),
        STRING => Token::String(std::str::from_utf8(reader.run()?).map_err(|_| TaggedError("text is not UTF-8"))?),
        BYTES => Token::Bytes(reader.run()?),
        UUID => Token::Uuid(u128::from_be_bytes(reader.array()?)),
        DATE_TIME => {
            Token::DateTime { seconds: reader.signed()?, nanos: nanos(reader)?, offset_seconds: offset(reader)? }
        }
        DURATION => Token::Duration { seconds: reader.signed()?, nanos: nanos(reader)? },
        LIST => Token::List(items(reader, depth)?),
        SET => Token::Set(items(reader, depth)?),
        MAP => Token::Map(items(reader, depth)?),
        _ => return Err(TaggedError("unknown type")),
    })
}

fn items<'a>(reader: &mut Reader<'a>, depth: usize) -> Result<Items<'a>, TaggedError> {
    if depth >= DEPTH_MAX {
        return Err(TaggedError("collections are nested too deeply"));
    }
    Ok(Items { reader: Reader::new(reader.run()?), depth: depth + 1 })
}

/// An integer of any size in its shortest form.
fn integer<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], TaggedError> {
    let bytes = reader.run()?;
    check_integer(bytes)?;
    Ok(bytes)
}

pub(crate) fn check_integer(bytes: &[u8]) -> Result<(), TaggedError> {
    match bytes {
        [] => Err(TaggedError("an integer without digits")),
        [0, next, ..] if *next < 0x80 => Err(TaggedError("an integer in a longer form than needed")),
        [0xFF, next, ..] if *next >= 0x80 => Err(TaggedError("an integer in a longer form than needed")),
        _ => Ok(()),
    }
}

fn nanos(reader: &mut Reader<'_>) -> Result<u32, TaggedError> {
    let nanos = reader.varint_u32()?;
    check_nanos(nanos)?;
    Ok(nanos)
}

pub(crate) fn check_nanos(nanos: u32) -> Result<(), TaggedError> {
    if nanos < NANOS_PER_SECOND { Ok(()) } else { Err(TaggedError("more nanoseconds than a second has")) }
}

fn offset(reader: &mut Reader<'_>) -> Result<i32, TaggedError> {
    let offset = reader.narrow()?;
    check_offset(offset)?;
    Ok(offset)
}

pub(crate) fn check_offset(seconds: i32) -> Result<(), TaggedError> {
    if seconds.unsigned_abs() <= OFFSET_SECONDS_MAX {
        Ok(())
    } else {
        Err(TaggedError("an offset of more than 18 hours from UTC"))
    }
}
