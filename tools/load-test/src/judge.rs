//! Whether an answer is right: its status, the number of ids in it, and what it must contain.
//!
//! Answers are searched as bytes, not parsed: the tool must cost little compared with the server it measures.

use std::borrow::Cow;
use std::fmt;
use std::io::Read as _;

use flate2::read::GzDecoder;
use memchr::memmem;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::limits::{ANSWER_BYTES_MAX, ERROR_ANSWER_BYTES_MAX};
use crate::scenario::Answer;
use crate::wire::AnswerHead;

/// Below this an answer has one or two elements.
const SHORT_ANSWER_BYTES: usize = 1 << 10;

/// The verdict.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    /// As it should be.
    Right,
    /// Another status than expected.
    Status,
    /// The status is right, but the content is not; with what is wrong.
    Wrong(String),
}

/// Judges an answer. `contains` is what it must contain, `counts` what must be counted at the keys that are expected.
pub(crate) fn judge<'a>(
    expected: &Answer,
    head: AnswerHead,
    body: &[u8],
    mut contains: impl ExactSizeIterator<Item = &'a [u8]>,
    counts: &[u64],
) -> Judged {
    if !expected.status.contains(&head.status) {
        return Judged::Status;
    }
    if expected.ids.is_none() && contains.len() == 0 && counts.is_empty() {
        return Judged::Right;
    }
    let body = match plain(head, body) {
        Ok(body) => body,
        Err(error) => return Judged::Wrong(format!("the answer cannot be decompressed: {error}")),
    };
    if let Some(ids) = expected.ids {
        let named = count_ids(&body);
        if named != u64::from(ids) {
            return Judged::Wrong(format!("{ids} elements were sent, the answer names {named} ids: {}", shown(&body)));
        }
    }
    if let Some(missing) = contains.find(|wanted| !has(&body, wanted)) {
        return Judged::Wrong(format!(
            "the answer does not contain {}: {}",
            String::from_utf8_lossy(missing),
            shown(&body)
        ));
    }
    for (key, &wanted) in expected.count_keys().zip(counts) {
        match count_at(&body, key) {
            Ok(Some(found)) if found == wanted => {}
            Ok(Some(found)) => {
                return Judged::Wrong(format!("{key} must be {wanted} and is {found}: {}", shown(&body)));
            }
            Ok(None) => return Judged::Wrong(format!("{key} is no number and no list: {}", shown(&body))),
            Err(error) => return Judged::Wrong(format!("the answer is no object ({error}): {}", shown(&body))),
        }
    }
    Judged::Right
}

/// The number, or the number of items, at a key of an object.
fn count_at(body: &[u8], key: &str) -> serde_json::Result<Option<u64>> {
    CountAt(key).deserialize(&mut serde_json::Deserializer::from_slice(body))
}

/// Reads an object, of which nothing is kept but what is counted at a key.
struct CountAt<'k>(&'k str);

impl<'de> DeserializeSeed<'de> for CountAt<'_> {
    type Value = Option<u64>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for CountAt<'_> {
    type Value = Option<u64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if key == self.0 {
                found = match map.next_value::<Counted>()? {
                    Counted::Number(number) => Some(number),
                    Counted::Items(items) => Some(items.len() as u64),
                    Counted::Other(IgnoredAny) => None,
                };
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Counted {
    Number(u64),
    Items(Vec<IgnoredAny>),
    Other(IgnoredAny),
}

/// The begin of an answer, for error texts.
pub(crate) fn shown(body: &[u8]) -> String {
    match body.get(..ERROR_ANSWER_BYTES_MAX) {
        Some(begin) => format!("{}...", String::from_utf8_lossy(begin)),
        None => String::from_utf8_lossy(body).into_owned(),
    }
}

/// HugeGraph compresses some answers even if not asked to.
fn plain(head: AnswerHead, body: &[u8]) -> std::io::Result<Cow<'_, [u8]>> {
    if !head.gzip {
        return Ok(Cow::Borrowed(body));
    }
    let mut unpacked = Vec::with_capacity(body.len() * 4);
    GzDecoder::new(body).take(ANSWER_BYTES_MAX as u64).read_to_end(&mut unpacked)?;
    Ok(Cow::Owned(unpacked))
}

/// Number of elements in a JSON array of ids. Ids are texts without quotes inside, or numbers.
fn count_ids(body: &[u8]) -> u64 {
    let quotes = count(body, b'"');
    let inner = body.trim_ascii();
    if !(inner.starts_with(b"[") && inner.ends_with(b"]")) {
        return 0;
    }
    match quotes {
        0 if inner.iter().any(u8::is_ascii_digit) => count(inner, b',') + 1,
        0 => 0,
        quotes => quotes / 2,
    }
}

fn count(bytes: &[u8], wanted: u8) -> u64 {
    // Sums of short pieces fit a byte, which lets the compiler compare many bytes at once.
    bytes.chunks(255).map(|piece| u64::from(piece.iter().map(|&byte| u8::from(byte == wanted)).sum::<u8>())).sum()
}

/// Whether a text occurs in the answer. Looks from the end of a long one, where the last id of a batch stands; for a
/// short one getting ready to look backwards takes longer than looking.
fn has(body: &[u8], wanted: &[u8]) -> bool {
    if body.len() < SHORT_ANSWER_BYTES {
        memmem::find(body, wanted).is_some()
    } else {
        memmem::rfind(body, wanted).is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn answer(status: u16, ids: Option<u32>) -> Answer {
        Answer::expecting(vec![status], ids)
    }

    fn judge(expected: &Answer, head: AnswerHead, body: &[u8], contains: &[&str]) -> Judged {
        super::judge(expected, head, body, contains.iter().map(|text| text.as_bytes()), &[])
    }

    fn head(status: u16) -> AnswerHead {
        AnswerHead::of_test(status, false)
    }

    #[test]
    fn ids_are_counted() {
        for (text, ids) in
            [("[]", 0), ("[\"a\"]", 1), ("[\"a\",\"b,c\"]", 2), ("[1,2,3]\n", 3), ("{\"id\":\"a\"}", 0), ("", 0)]
        {
            assert_eq!(count_ids(text.as_bytes()), ids, "{text}");
        }
        let many = format!("[{}\"x\"]", "\"x\",".repeat(499));
        assert_eq!(count_ids(many.as_bytes()), 500);
    }

    /// Nothing in particular.
    const ANYTHING: &[&str] = &[];

    #[test]
    fn each_kind_of_lie_is_noticed() {
        let body = b"[\"a\",\"b\"]";
        assert_eq!(judge(&answer(201, Some(2)), head(201), body, &["\"b\""]), Judged::Right);
        assert_eq!(judge(&answer(201, Some(2)), head(200), body, ANYTHING), Judged::Status);
        let wrong = |judged: Judged, word: &str| matches!(judged, Judged::Wrong(text) if text.contains(word));
        assert!(wrong(judge(&answer(201, Some(3)), head(201), body, ANYTHING), "2 ids"));
        assert!(wrong(judge(&answer(201, None), head(201), body, &["\"b\"", "\"c\""]), "does not contain"));
        assert_eq!(judge(&answer(200, None), head(200), b"", ANYTHING), Judged::Right);
    }

    #[test]
    fn items_and_numbers_are_counted_at_their_key() {
        let count = |body: &str, key| count_at(body.as_bytes(), key).map_err(drop);
        let body = r#"{"path":["a",{"vertices":[1]}],"vertices":["x","y","z"],"size":27,"none":null,"less":-1}"#;
        for (key, found) in
            [("path", Some(2)), ("vertices", Some(3)), ("size", Some(27)), ("none", None), ("less", None)]
        {
            assert_eq!(count(body, key), Ok(found), "{key}");
        }
        assert_eq!(count(body, "other"), Ok(None));
        assert_eq!(count("[1]", "path"), Err(()));
        assert_eq!(count("", "path"), Err(()));
    }

    #[test]
    fn packed_answers_are_unpacked() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"[\"a\"]").unwrap();
        let body = encoder.finish().unwrap();
        let head = AnswerHead::of_test(201, true);
        assert_eq!(judge(&answer(201, Some(1)), head, &body, &["\"a\""]), Judged::Right);
        let broken = b"not gzip at all";
        assert!(matches!(judge(&answer(201, Some(1)), head, broken, ANYTHING), Judged::Wrong(_)));
    }
}
