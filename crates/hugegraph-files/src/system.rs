//! What HugeGraph keeps about itself as vertices and edges: labels and property keys have negative ids that depend on
//! the version, and their definitions are not stored. What the properties are is seen from their order: the keys of a
//! label are numbered one after the other, downwards.

use serde_json::{Value, json};

use crate::bytes::{Layout, Read, Reader};
use crate::limits::SYSTEM_PROPERTIES_MAX;

/// A property of an unknown type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    pub(crate) key: i32,
    pub(crate) value: &'a [u8],
}

impl<'a> Part<'a> {
    /// Its value, if that is a text.
    pub(crate) fn text(&self) -> Option<&'a str> {
        let mut reader = Reader::new(self.value, Layout::New);
        let text = reader.text().ok()?;
        reader.end().ok()?;
        Some(text)
    }

    /// Its value, if that is a small number.
    pub(crate) fn number(&self) -> Option<i32> {
        let mut reader = Reader::new(self.value, Layout::New);
        let number = reader.vint().ok()?;
        reader.end().ok()?;
        Some(number)
    }
}

/// Where keys may begin: a negative number of five bytes, near zero.
fn key_starts(bytes: &[u8]) -> Vec<usize> {
    let is_key = |at: &usize| matches!(bytes.get(*at..*at + 5), Some([0x8f, 0xff, 0xff, 0x80..=0xff, 0..=0x7f]));
    (0..bytes.len()).filter(is_key).collect()
}

fn parts_at<'a>(bytes: &'a [u8], starts: &[usize]) -> Option<Vec<Part<'a>>> {
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    let part = |(start, end): (&usize, usize)| {
        let mut reader = Reader::new(bytes.get(*start..end)?, Layout::New);
        Some(Part { key: reader.vint().ok()?, value: reader.rest() })
    };
    starts.iter().zip(ends).map(part).collect()
}

/// The properties in a value: those of which no value looks like a key.
pub(crate) fn parts<'a>(reader: &mut Reader<'a>) -> Read<Vec<Part<'a>>> {
    let count = reader.count()?;
    let bytes = reader.rest();
    let starts = key_starts(bytes);
    if count > SYSTEM_PROPERTIES_MAX || starts.len() != count || starts.first().is_some_and(|first| *first != 0) {
        return Err("its properties are not those of HugeGraph's own vertices");
    }
    parts_at(bytes, &starts).ok_or("its properties cannot be told from each other")
}

/// The variable in a row of the table `v`; `None` where it is none.
pub(crate) fn variable(key: &[u8], value: &[u8], layout: Layout) -> Option<(String, Value)> {
    let mut key = Reader::new(key, layout);
    let crate::bytes::Id::Text(id) = key.id().ok()? else { return None };
    key.end().ok()?;
    let mut value = Reader::new(value, layout);
    let label = value.id().ok()?.number().ok()?;
    let name = id.strip_prefix(&format!("{label}:"))?;
    if value.count().ok()? != 3 {
        return None;
    }
    let bytes = value.rest();
    let starts = key_starts(bytes);
    // A number may look like a key: all ways to read three properties are tried, one of which fits.
    let (first, others) = starts.split_first()?;
    if *first != 0 || others.len() > SYSTEM_PROPERTIES_MAX {
        return None;
    }
    for (at, second) in others.iter().enumerate() {
        for third in others.get(at + 1..).unwrap_or_default() {
            let parts = parts_at(bytes, &[0, *second, *third])?;
            if let Some(value) = variable_of(&parts, name) {
                return Some((name.to_owned(), value));
            }
        }
    }
    None
}

/// The value among three properties: its name and its type are the two others, whose keys follow each other.
fn variable_of(parts: &[Part<'_>], name: &str) -> Option<Value> {
    let named = parts.iter().find(|part| part.text() == Some(name))?;
    let typed = parts.iter().find(|part| part.key == named.key - 1)?;
    let of = parts.iter().find(|part| part.key < typed.key)?;
    let mut letters = typed.text()?.chars();
    let (kind, many) = (letters.next()?, letters.next());
    let mut reader = Reader::new(of.value, Layout::New);
    let value = match many {
        None => variable_value(&mut reader, kind).ok()?,
        Some('L' | 'S') => {
            let count = reader.count().ok()?;
            let items: Read<Vec<Value>> = (0..count).map(|_| variable_value(&mut reader, kind)).collect();
            Value::Array(items.ok()?)
        }
        Some(_) => return None,
    };
    reader.end().ok()?;
    Some(value)
}

fn variable_value(reader: &mut Reader<'_>, kind: char) -> Read<Value> {
    Ok(match kind {
        'B' | 'I' => json!(reader.vint()?),
        'Z' => json!(reader.vint()? == 1),
        'L' => json!(reader.vlong()?),
        'F' => json!(f32::from_be_bytes(reader.array()?)),
        'D' => json!(f64::from_be_bytes(reader.array()?)),
        'S' => json!(reader.text()?),
        _ => return Err("the type of a variable is not known"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::tests::hex;

    #[test]
    fn variables_as_hugegraph_writes_them() {
        for (name, digits, expected) in [
            ("v_b", "079D03 8FFFFFFF3101 8FFFFFFF33015A 8FFFFFFF3403765F62", json!(true)),
            (
                "v_d",
                "079D038FFFFFFF3302444C8FFFFFFF3403765F648FFFFFFF26023FF80000000000004004000000000000",
                json!([1.5, 2.5]),
            ),
            ("v_l", "079D038FFFFFFF33014C8FFFFFFF3403765F6C8FFFFFFF2F82A384F3CABF7F", json!(9_999_999_999_999_i64)),
            ("v_n", "079D038FFFFFFF308FFFFFFF7F8FFFFFFF3301498FFFFFFF3403765F6E", json!(-1)),
            ("v_s", "079D038FFFFFFF3301538FFFFFFF3403765F738FFFFFFF2C03782079", json!("x y")),
            (
                "v_ni",
                "079D038FFFFFFF3302494C8FFFFFFF3404765F6E698FFFFFFF29038FFFFFFF7F028FFFFFFF7D",
                json!([-1, 2, -3]),
            ),
            ("v_li", "079D038FFFFFFF3302534C8FFFFFFF3404765F6C698FFFFFFF250201610162", json!(["a", "b"])),
        ] {
            let id = format!("-99:{name}");
            let mut key = vec![0x80 | u8::try_from(id.len() - 1).unwrap()];
            key.extend_from_slice(id.as_bytes());
            assert_eq!(variable(&key, &hex(digits), Layout::New), Some((name.to_owned(), expected)), "{name}");
        }
        // A task is none.
        assert_eq!(variable(&hex("0801"), &hex("07F10A8FFFFFFF72087365727665722D31"), Layout::New), None);
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(
            key in proptest::collection::vec(proptest::num::u8::ANY, 0..40),
            value in proptest::collection::vec(proptest::num::u8::ANY, 0..80),
        ) {
            drop(variable(&key, &value, Layout::Old));
            drop(parts(&mut Reader::new(&value, Layout::New)));
        }
    }
}
