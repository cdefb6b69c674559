//! All values an element has under one key, with their ids and their own properties.
//!
//! One value without an id of its own and without properties is just that value, encoded. Anything else begins with
//! [`ENTRIES`], then each value to the end: a byte of flags, its id or its number, the value, and its properties.

use crate::error::TaggedError;
use crate::limits::{BYTES_MAX, ENTRIES_MAX, META_MAX};
use crate::reader::{Reader, put_run, put_varint};
use crate::token::{Token, check, read_token};

/// Begins bytes that are not just one value; no value begins with it.
const ENTRIES: u8 = 0x80;

/// The entry has an id that a client gave, in the place of its number.
const HAS_ID: u8 = 0b01;
/// The entry has properties.
const HAS_META: u8 = 0b10;

/// What tells a value from the others of its key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EntryId<'a> {
    /// A number that no other value of the key has; its id follows from it.
    Ordinal(u32),
    /// An id that a client gave: an encoded value.
    Given(&'a [u8]),
}

/// One value of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry<'a> {
    /// What tells it from the others.
    pub id: EntryId<'a>,
    /// The value, encoded.
    pub value: &'a [u8],
    /// Its own properties.
    pub meta: Meta<'a>,
}

/// The properties of a value: numbers of property keys with encoded values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meta<'a>(&'a [u8]);

impl<'a> Meta<'a> {
    /// The encoding of properties, to be borrowed by an [`Entry`].
    ///
    /// # Errors
    /// Keys that do not ascend, more than [`META_MAX`] of them, values that are none.
    pub fn encode<'v>(properties: impl IntoIterator<Item = (u32, &'v [u8])>) -> Result<Vec<u8>, TaggedError> {
        let mut bytes = Vec::new();
        for (key, value) in properties {
            check(value)?;
            put_varint(&mut bytes, u64::from(key));
            bytes.extend_from_slice(value);
        }
        check_meta(Meta(&bytes))?;
        Ok(bytes)
    }

    /// Properties as [`Self::encode`] wrote them.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Each of them.
    #[must_use]
    pub fn iter(self) -> MetaEntries<'a> {
        MetaEntries(Reader::new(self.0))
    }
}

/// The properties of a value one by one. After an error there are no more.
#[derive(Clone, Debug)]
pub struct MetaEntries<'a>(Reader<'a>);

impl<'a> Iterator for MetaEntries<'a> {
    type Item = Result<(u32, &'a [u8]), TaggedError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_at_end() {
            return None;
        }
        let reader = &mut self.0;
        let property = reader.varint_u32().and_then(|key| Ok((key, raw(reader)?)));
        if property.is_err() {
            self.0 = Reader::new(&[]);
        }
        Some(property)
    }
}

fn check_meta(meta: Meta<'_>) -> Result<(), TaggedError> {
    let (mut last, mut count) = (None, 0);
    for property in meta.iter() {
        let (key, _) = property?;
        if last.is_some_and(|last| last >= key) {
            return Err(TaggedError("properties out of order"));
        }
        (last, count) = (Some(key), count + 1);
    }
    if count > META_MAX { Err(TaggedError("a value with more than 1024 properties")) } else { Ok(()) }
}

/// Reads over one value and returns its bytes.
fn raw<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], TaggedError> {
    let before = reader.rest();
    read_token(reader, 0)?;
    let length = before.len() - reader.rest().len();
    let value = before.get(..length).unwrap_or_default();
    check(value)?;
    Ok(value)
}

/// The values of a key one by one. After an error there are no more.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    reader: Reader<'a>,
    /// Whether the bytes are just one value.
    is_plain: bool,
}

/// Reads what an element has under one key.
#[must_use]
pub fn entries(bytes: &[u8]) -> Entries<'_> {
    match bytes.split_first() {
        Some((&ENTRIES, rest)) => Entries { reader: Reader::new(rest), is_plain: false },
        _ => Entries { reader: Reader::new(bytes), is_plain: true },
    }
}

impl<'a> Entries<'a> {
    fn read(&mut self) -> Result<Entry<'a>, TaggedError> {
        let reader = &mut self.reader;
        if self.is_plain {
            let value = raw(reader)?;
            if !reader.is_at_end() {
                return Err(TaggedError("bytes beyond its end"));
            }
            return Ok(Entry { id: EntryId::Ordinal(0), value, meta: Meta::default() });
        }
        let flags = reader.byte()?;
        if flags & !(HAS_ID | HAS_META) != 0 {
            return Err(TaggedError("unknown flags"));
        }
        let id =
            if flags & HAS_ID == 0 { EntryId::Ordinal(reader.varint_u32()?) } else { EntryId::Given(raw(reader)?) };
        let value = raw(reader)?;
        let meta = if flags & HAS_META == 0 { Meta::default() } else { Meta(reader.run()?) };
        check_meta(meta)?;
        if flags & HAS_META != 0 && meta.is_empty() {
            return Err(TaggedError("properties announced that are not there"));
        }
        Ok(Entry { id, value, meta })
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Entry<'a>, TaggedError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_at_end() {
            return None;
        }
        let entry = self.read();
        if entry.is_err() {
            self.reader = Reader::new(&[]);
        }
        Some(entry)
    }
}

/// The bytes of what an element has under one key, in their one form. There must be at least one value.
///
/// # Errors
/// No value, more than [`ENTRIES_MAX`] or more than [`BYTES_MAX`] bytes of them; values, ids or properties that are
/// none.
pub fn put_entries<'a>(all: impl IntoIterator<Item = Entry<'a>>) -> Result<Box<[u8]>, TaggedError> {
    let mut all = all.into_iter().peekable();
    let first = all.next().ok_or(TaggedError("no value"))?;
    if all.peek().is_none() && first.id == EntryId::Ordinal(0) && first.meta.is_empty() {
        check(first.value)?;
        return Ok(first.value.into());
    }
    let mut out = vec![ENTRIES];
    for (at, entry) in std::iter::once(first).chain(all).enumerate() {
        if at >= ENTRIES_MAX {
            return Err(TaggedError("more than 65535 values of one key"));
        }
        check(entry.value)?;
        check_meta(entry.meta)?;
        let has_meta = if entry.meta.is_empty() { 0 } else { HAS_META };
        match entry.id {
            EntryId::Ordinal(number) => {
                out.push(has_meta);
                put_varint(&mut out, u64::from(number));
            }
            EntryId::Given(id) => {
                check(id)?;
                out.push(has_meta | HAS_ID);
                out.extend_from_slice(id);
            }
        }
        out.extend_from_slice(entry.value);
        if has_meta != 0 {
            put_run(&mut out, entry.meta.0);
        }
        if out.len() > BYTES_MAX {
            return Err(TaggedError("the values of one key have more than 4 MiB"));
        }
    }
    Ok(out.into())
}

impl<'a> Entry<'a> {
    /// The value as a token.
    ///
    /// # Errors
    /// That it is none.
    pub fn token(&self) -> Result<Token<'a>, TaggedError> {
        crate::read(self.value)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Builder;

    fn text(text: &str) -> Vec<u8> {
        Builder::encode(Token::String(text)).unwrap().into_vec()
    }

    #[test]
    fn one_bare_value_is_its_own_encoding() {
        let value = text("x");
        let entry = Entry { id: EntryId::Ordinal(0), value: &value, meta: Meta::default() };
        assert_eq!(put_entries([entry]).unwrap().into_vec(), value);
        assert_eq!(entries(&value).collect::<Vec<_>>(), [Ok(entry)]);
        assert_eq!(put_entries([]), Err(TaggedError("no value")));
    }

    #[test]
    fn wrong_entries_are_refused() {
        let value = text("x");
        let one = value.as_slice();
        assert!(Meta::encode([(2, one), (2, one)]).is_err());
        assert!(Meta::encode([(2, &one[1..])]).is_err());
        let entry = Entry { id: EntryId::Given(&[255]), value: one, meta: Meta::default() };
        assert!(put_entries([entry]).is_err());
        assert!(entries(&[&[ENTRIES, 4, 0], one].concat()).next().unwrap().is_err());
        assert!(entries(&[one, one].concat()).next().unwrap().is_err());
        assert!(entries(&[]).next().is_none());
    }

    proptest! {
        #[test]
        fn entries_round_trip(
            given in prop::collection::vec((prop::option::of(".{0,4}"), any::<u32>(), ".{0,6}",
                prop::collection::btree_map(any::<u32>(), ".{0,3}", 0..3)), 1..5),
        ) {
            let owned: Vec<_> = given
                .iter()
                .map(|(id, ordinal, value, meta)| {
                    let meta: Vec<(u32, Vec<u8>)> = meta.iter().map(|(key, value)| (*key, text(value))).collect();
                    let meta = Meta::encode(meta.iter().map(|(key, value)| (*key, value.as_slice()))).unwrap();
                    (id.as_deref().map(text), *ordinal, text(value), meta)
                })
                .collect();
            let all: Vec<Entry<'_>> = owned
                .iter()
                .map(|(id, ordinal, value, meta)| Entry {
                    id: id.as_ref().map_or(EntryId::Ordinal(*ordinal), |id| EntryId::Given(id)),
                    value,
                    meta: Meta::new(meta),
                })
                .collect();
            let bytes = put_entries(all.iter().copied())?;
            prop_assert_eq!(entries(&bytes).collect::<Result<Vec<_>, _>>()?, all);
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in any::<Vec<u8>>()) {
            let read: Result<Vec<_>, _> = entries(&bytes).collect();
            if let Ok(read) = read
                && let [_, _, ..] = read.as_slice()
            {
                prop_assert_eq!(&*put_entries(read)?, &*bytes);
            }
        }
    }
}
