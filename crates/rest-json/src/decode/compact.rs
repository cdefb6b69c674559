//! Copying any JSON as compact text, without a tree in between.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::borrowed_text::Text;
use crate::text::{push_display, push_double, push_string};

/// Any JSON as compact text: no blanks, fields in their order, numbers as this crate writes them.
pub(crate) struct CompactJson(pub(crate) String);

impl<'de> Deserialize<'de> for CompactJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut out = Vec::new();
        Copy(&mut out).deserialize(deserializer)?;
        finish(out).map(Self)
    }
}

/// Copies the fields of an object the reader has already begun.
pub(crate) fn copy_object<'de, A: MapAccess<'de>>(map: A) -> Result<String, A::Error> {
    let mut out = Vec::new();
    Copy(&mut out).visit_map(map)?;
    finish(out)
}

fn finish<E: Error>(out: Vec<u8>) -> Result<String, E> {
    String::from_utf8(out).map_err(E::custom)
}

struct Copy<'o>(&'o mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for Copy<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Copy<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.extend_from_slice(b"null");
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        push_display(self.0, value);
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        push_display(self.0, value);
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        push_display(self.0, value);
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        push_double(self.0, value);
        Ok(())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        push_string(self.0, value);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        self.0.push(b'[');
        let mut first = true;
        loop {
            let before = self.0.len();
            if !first {
                self.0.push(b',');
            }
            if seq.next_element_seed(Copy(self.0))?.is_none() {
                self.0.truncate(before);
                break;
            }
            first = false;
        }
        self.0.push(b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.0.push(b'{');
        let mut first = true;
        while let Some(Text(key)) = map.next_key()? {
            if !first {
                self.0.push(b',');
            }
            first = false;
            push_string(self.0, &key);
            self.0.push(b':');
            map.next_value_seed(Copy(self.0))?;
        }
        self.0.push(b'}');
        Ok(())
    }
}
