//! Functions of texts. Positions and lengths count characters.

use super::room::Room;
use crate::error::ValueError;
use crate::value::{Text, Value};

/// Bytes that an item of a list takes.
const ITEM_BYTES: usize = size_of::<Value>();

/// Whether a character counts as white space; spaces that must not break a line do not.
fn is_space(character: char) -> bool {
    match character {
        '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{85}' => false,
        '\u{1c}'..='\u{1f}' => true,
        other => other.is_whitespace(),
    }
}

/// Without white space at the start.
#[must_use]
pub fn trim_start(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// Without white space at the end.
#[must_use]
pub fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

/// Without white space at both ends.
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// How many characters.
#[must_use]
pub fn length(text: &str) -> usize {
    text.chars().count()
}

/// The characters from the last to the first.
#[must_use]
pub fn reverse(text: &str) -> Text {
    text.chars().rev().collect()
}

/// The characters from a position up to another, or to the end. A negative position counts from the end; one beyond the
/// text is its border.
#[must_use]
pub fn substring(text: &str, start: i64, end: Option<i64>) -> &str {
    let count = i64::try_from(length(text)).unwrap_or(i64::MAX);
    let position = |at: i64| if at < 0 { count.saturating_add(at).max(0) } else { at.min(count) };
    let (start, end) = (position(start), end.map_or(count, position));
    let offset = |at: i64| {
        let at = usize::try_from(at).unwrap_or_default();
        text.char_indices().nth(at).map_or(text.len(), |(offset, _)| offset)
    };
    if start >= end { "" } else { text.get(offset(start)..offset(end)).unwrap_or_default() }
}

/// Every occurrence of a text replaced by another; an empty text is found before each character and at the end.
///
/// # Errors
/// The result does not fit into the room.
pub fn replace(text: &str, from: &str, to: &str, room: &mut Room) -> Result<Text, ValueError> {
    let count = text.matches(from).count();
    let kept = text.len() - count * from.len();
    room.take(count.saturating_mul(to.len()).saturating_add(kept))?;
    Ok(text.replace(from, to).into())
}

/// The parts between separators, empty ones left out; without a separator those between white space, with an empty one
/// the characters.
///
/// # Errors
/// The result does not fit into the room.
pub fn split(text: &str, separator: Option<&str>, room: &mut Room) -> Result<Value, ValueError> {
    let mut parts = Vec::new();
    let mut add = |part: &str| {
        if !part.is_empty() {
            room.take(part.len() + ITEM_BYTES)?;
            parts.push(Value::from(part));
        }
        Ok(())
    };
    match separator {
        None => text.split(is_space).try_for_each(&mut add)?,
        Some("") => text
            .char_indices()
            .try_for_each(|(at, character)| add(text.get(at..at + character.len_utf8()).unwrap_or_default()))?,
        Some(separator) => text.split(separator).try_for_each(&mut add)?,
    }
    Ok(parts.into())
}

/// A text after another.
///
/// # Errors
/// The result does not fit into the room.
pub fn append(text: &mut String, more: &str, room: &mut Room) -> Result<(), ValueError> {
    room.take(more.len())?;
    text.push_str(more);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn room() -> Room {
        Room::new(1000)
    }

    #[test]
    fn trimming_takes_white_space_of_any_script() {
        assert_eq!(trim("\u{3000}\tabc\u{3000}\n"), "abc");
        assert_eq!(trim_start(" abc "), "abc ");
        assert_eq!(trim_end(" abc "), " abc");
        assert_eq!(trim("\u{a0}abc"), "\u{a0}abc");
    }

    #[test]
    fn positions_may_count_from_the_end() {
        for (text, start, end, wanted) in [
            ("test", 1, Some(8), "est"),
            ("ripple", 2, None, "pple"),
            ("ripple", 1, Some(0), ""),
            ("marko", -3, None, "rko"),
            ("ripple", 1, Some(-1), "ippl"),
            ("lop", -4, Some(2), "lo"),
            ("ripple", -3, Some(-1), "pl"),
            ("größe", 2, Some(4), "öß"),
            ("a", i64::MIN, Some(i64::MAX), "a"),
            ("a", i64::MAX, None, ""),
        ] {
            assert_eq!(substring(text, start, end), wanted, "{text} {start} {end:?}");
        }
    }

    #[test]
    fn texts_are_split_without_empty_parts() {
        let parts = |text, separator| split(text, separator, &mut room()).unwrap();
        let list = |all: &[&str]| Value::list(all.iter().map(|part| Value::from(*part)));
        assert_eq!(parts("that", Some("h")), list(&["t", "at"]));
        assert_eq!(parts("--a----b--", Some("--")), list(&["a", "b"]));
        assert_eq!(parts(" hello \t world", None), list(&["hello", "world"]));
        assert_eq!(parts("größe", Some("")), list(&["g", "r", "ö", "ß", "e"]));
        assert_eq!(split("abc", Some(""), &mut Room::new(64)), Err(ValueError::NoRoom));
    }

    #[test]
    fn replacing_counts_before_it_writes() {
        assert_eq!(replace("that", "th", "j", &mut room()), Ok("jat".into()));
        assert_eq!(replace("ab", "", "-", &mut room()), Ok("-a-b-".into()));
        assert_eq!(replace("aaaa", "a", &"b".repeat(300), &mut room()), Err(ValueError::NoRoom));
        assert_eq!(reverse("größe"), "eßörg");
        assert_eq!(length("größe"), 5);
    }
}
