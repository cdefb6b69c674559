//! The parts that rows consist of: numbers of varying length, ids, texts.

use compact_str::CompactString;
use graph_model::VertexId;

/// What was read, or what is wrong.
pub(crate) type Read<T> = Result<T, &'static str>;

const TOO_SHORT: &str = "it ends too early";
const NOT_TEXT: &str = "a text is not UTF-8";

/// How versions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// 1.0 to 1.3: the length of an id takes seven bits; an edge has one label.
    Old,
    /// 1.5 and later: the length of an id takes six or fourteen bits; an edge has two labels, a parent's and its own.
    New,
}

/// An id as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Id<'a> {
    Number(i64),
    Text(&'a str),
    Uuid(u128),
}

impl Id<'_> {
    pub(crate) fn to_vertex_id(self) -> VertexId {
        match self {
            Self::Number(number) => VertexId::Number(number),
            Self::Text(text) => VertexId::String(CompactString::from(text)),
            Self::Uuid(bits) => VertexId::Uuid(bits),
        }
    }

    /// The number of a definition.
    pub(crate) fn number(self) -> Read<i64> {
        match self {
            Self::Number(number) => Ok(number),
            _ => Err("the id of a definition is not a number"),
        }
    }
}

/// Reads a row from its beginning on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    layout: Layout,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(row: &'a [u8], layout: Layout) -> Self {
        Self { rest: row, layout }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Fails unless everything was read.
    pub(crate) fn end(&self) -> Read<()> {
        if self.rest.is_empty() { Ok(()) } else { Err("it has more bytes than it should") }
    }

    pub(crate) fn byte(&mut self) -> Read<u8> {
        let (first, rest) = self.rest.split_first().ok_or(TOO_SHORT)?;
        self.rest = rest;
        Ok(*first)
    }

    pub(crate) fn take(&mut self, length: usize) -> Read<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(TOO_SHORT)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(TOO_SHORT)?;
        self.rest = rest;
        Ok(*taken)
    }

    /// Seven bits a byte, the most significant first; a negative number takes all five bytes.
    pub(crate) fn vint(&mut self) -> Read<i32> {
        let wide = self.groups(5)?;
        u32::try_from(wide & u64::from(u32::MAX)).map(u32::cast_signed).map_err(|_| "a number is too large")
    }

    /// Likewise, with ten bytes for a negative number.
    pub(crate) fn vlong(&mut self) -> Read<i64> {
        self.groups(10).map(u64::cast_signed)
    }

    fn groups(&mut self, bytes_max: usize) -> Read<u64> {
        let mut value: u64 = 0;
        for _ in 0..bytes_max {
            let byte = self.byte()?;
            value = value << 7 | u64::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err("a number has too many bytes")
    }

    /// A count of what follows.
    pub(crate) fn count(&mut self) -> Read<usize> {
        usize::try_from(self.vint()?).map_err(|_| "a count is negative")
    }

    /// Bytes behind their number.
    pub(crate) fn bytes(&mut self) -> Read<&'a [u8]> {
        let length = self.count()?;
        self.take(length)
    }

    pub(crate) fn text(&mut self) -> Read<&'a str> {
        std::str::from_utf8(self.bytes()?).map_err(|_| NOT_TEXT)
    }

    /// A text up to a zero byte.
    pub(crate) fn text_to_zero(&mut self) -> Read<&'a str> {
        let length = self.rest.iter().position(|byte| *byte == 0).ok_or(TOO_SHORT)?;
        let text = self.take(length)?;
        self.byte()?;
        std::str::from_utf8(text).map_err(|_| NOT_TEXT)
    }

    pub(crate) fn id(&mut self) -> Read<Id<'a>> {
        let first = self.byte()?;
        match first {
            0x7f => self.array().map(|bits| Id::Uuid(u128::from_be_bytes(bits))),
            0x7e => Err("an id of an edge where one of a vertex is expected"),
            0x00..0x7e => self.number(first).map(Id::Number),
            0x80.. => {
                let length = match self.layout {
                    Layout::Old => usize::from(first & 0x7f),
                    Layout::New if first & 0x40 == 0 => usize::from(first & 0x3f),
                    Layout::New => usize::from(first & 0x3f) << 8 | usize::from(self.byte()?),
                };
                let text = self.take(length + 1)?;
                std::str::from_utf8(text).map(Id::Text).map_err(|_| "the text of an id is not UTF-8")
            }
        }
    }

    /// A number whose first byte says its length, its sign and its highest three bits.
    fn number(&mut self, first: u8) -> Read<i64> {
        let more = usize::from(first >> 4) + 1;
        let is_negative = first & 0x08 == 0;
        let high = u64::from(first & 0x07);
        let mut value = if is_negative { high | !0x07 } else { high };
        for byte in self.take(more)? {
            value = value << 8 | u64::from(*byte);
        }
        Ok(value.cast_signed())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn hex(digits: &str) -> Vec<u8> {
        let digits: Vec<u8> = digits.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
        digits.chunks(2).map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap()).collect()
    }

    fn id(digits: &str, layout: Layout) -> VertexId {
        let bytes = hex(digits);
        let mut reader = Reader::new(&bytes, layout);
        let id = reader.id().unwrap();
        reader.end().unwrap();
        id.to_vertex_id()
    }

    #[test]
    fn ids_as_hugegraph_writes_them() {
        for (digits, number) in [
            ("0800", 0),
            ("0801", 1),
            ("0fff", 2047),
            ("180800", 2048),
            ("07ff", -1),
            ("0000", -2048),
            ("17f7ff", -2049),
            ("280f4243", 1_000_003),
            ("07e1", -31),
            ("7810853c35f5400000", 1_190_423_878_954_909_696),
            ("787fffffffffffffff", i64::MAX),
            ("708000000000000000", i64::MIN),
        ] {
            assert_eq!(id(digits, Layout::New), VertexId::Number(number), "{digits}");
        }
        assert_eq!(id("7f00000000000000400000000000000001", Layout::New), VertexId::Uuid(0x40_0000_0000_0000_0001));
        assert_eq!(id("817031", Layout::Old), VertexId::String("p1".into()));
        let long = "61".repeat(100);
        assert_eq!(id(&format!("e3{long}"), Layout::Old), VertexId::String("a".repeat(100).into()));
        assert_eq!(id(&format!("c063{long}"), Layout::New), VertexId::String("a".repeat(100).into()));
        let longest = "61".repeat(16_384);
        assert_eq!(id(&format!("ffff{longest}"), Layout::New), VertexId::String("a".repeat(16_384).into()));
    }

    #[test]
    fn numbers_as_hugegraph_writes_them() {
        let vint = |digits: &str| Reader::new(&hex(digits), Layout::New).vint();
        assert_eq!(vint("00"), Ok(0));
        assert_eq!(vint("7f"), Ok(127));
        assert_eq!(vint("8100"), Ok(128));
        assert_eq!(vint("8fffffff7f"), Ok(-1));
        assert_eq!(vint("8fffffff33"), Ok(-77));
        assert_eq!(vint("87ffffff7f"), Ok(i32::MAX));
        assert_eq!(vint("8880808000"), Ok(i32::MIN));
        let vlong = |digits: &str| Reader::new(&hex(digits), Layout::New).vlong();
        assert_eq!(vlong("82a384f3cabf7f"), Ok(9_999_999_999_999));
        assert_eq!(vlong("81ffffffffffffffff7f"), Ok(-1));
        assert_eq!(vlong("81808080808080808000"), Ok(i64::MIN));
        assert!(vlong("ffffffffffffffffffff7f").is_err());
        assert!(vint("ffffffffff7f").is_err());
        assert!(vint("80").is_err());
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..40)) {
            for layout in [Layout::Old, Layout::New] {
                let reader = Reader::new(&bytes, layout);
                let mut readers = [reader; 5];
                let [id, vint, vlong, text, to_zero] = &mut readers;
                let _read = (id.id(), vint.vint(), vlong.vlong(), text.text(), to_zero.text_to_zero());
            }
        }
    }
}
