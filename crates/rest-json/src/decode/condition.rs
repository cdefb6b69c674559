//! Conditions on properties as clients write them: `{"age":"P.gt(18)","city":"Beijing"}`.
//!
//! A predicate is a text of the form `P.name(arguments)`; the arguments are the inside of a JSON array. Everything else
//! is a value the property must have.

use std::borrow::Cow;
use std::fmt;
use std::ops::Bound;

use graph_schema::{Literal, NewPredicate};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::borrowed_text::Text;
use super::literal::{AnyLiteral, into_owned};
use crate::DecodeError;
use crate::limits::QUOTED_CHARS_MAX;

/// What a predicate begins with.
const MARK: &str = "P.";

/// The predicates there are, for errors.
const NAMES: &str = "eq, neq, lt, lte, gt, gte, between, inside, outside, within, textcontains, contains";

/// Reads conditions: a JSON object of property names and values or predicates. With `keep_start_p` texts that begin
/// with `P.` are values.
pub fn decode_conditions(text: &str, keep_start_p: bool) -> Result<Vec<(Cow<'_, str>, NewPredicate<'_>)>, DecodeError> {
    let given: Given<'_> = serde_json::from_str(text).map_err(|_| DecodeError::Conditions { text: shown(text) })?;
    given.0.into_iter().map(|(name, literal)| Ok((name.0, predicate(literal.0, keep_start_p)?))).collect()
}

/// The predicate a value stands for: itself, or what a text of the form `P.name(arguments)` says. With `keep_start_p`
/// no text does.
pub fn predicate(literal: Literal<'_>, keep_start_p: bool) -> Result<NewPredicate<'_>, DecodeError> {
    match &literal {
        Literal::Text(text) if !keep_start_p && text.starts_with(MARK) => parse_predicate(text),
        _ => Ok(NewPredicate::Equal(literal)),
    }
}

/// The same for the start of a traversal, where an array means "one of these".
pub fn selecting_predicate(literal: Literal<'_>) -> Result<NewPredicate<'_>, DecodeError> {
    match literal {
        Literal::Array(items) => Ok(NewPredicate::OneOf(items)),
        literal => predicate(literal, false),
    }
}

/// Reads a predicate.
pub fn parse_predicate(text: &str) -> Result<NewPredicate<'static>, DecodeError> {
    let fail = |reason| DecodeError::Predicate { text: shown(text), reason };
    let form = "it must have the form P.name(arguments), with a name of lower-case letters";
    let inside = text.strip_prefix(MARK).and_then(|text| text.strip_suffix(')'));
    let (name, arguments) = inside.and_then(|text| text.split_once('(')).ok_or_else(|| fail(form))?;
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Err(fail(form));
    }
    let read = || read_arguments(arguments).ok_or_else(|| fail("its arguments must be JSON, separated by commas"));
    let one = || match <[_; 1]>::try_from(read()?) {
        Ok([literal]) => Ok(literal),
        Err(_) => Err(fail("it takes one argument")),
    };
    let two = || match <[_; 2]>::try_from(read()?) {
        Ok([first, second]) => Ok((first, second)),
        Err(_) => Err(fail("it takes two arguments")),
    };
    let range = |low, high| Ok(NewPredicate::Range { low, high });
    match name {
        "eq" => one().map(NewPredicate::Equal),
        "neq" => one().map(NewPredicate::NotEqual),
        "lt" => range(Bound::Unbounded, Bound::Excluded(one()?)),
        "lte" => range(Bound::Unbounded, Bound::Included(one()?)),
        "gt" => range(Bound::Excluded(one()?), Bound::Unbounded),
        "gte" => range(Bound::Included(one()?), Bound::Unbounded),
        "between" => two().and_then(|(low, high)| range(Bound::Included(low), Bound::Excluded(high))),
        "inside" => two().and_then(|(low, high)| range(Bound::Excluded(low), Bound::Excluded(high))),
        "outside" => two().map(|(low, high)| NewPredicate::Outside(low, high)),
        "within" => read().map(NewPredicate::OneOf),
        "textcontains" => Ok(NewPredicate::TextContains(match one() {
            Ok(Literal::Text(words)) => words,
            _ => Cow::Owned(arguments.to_owned()),
        })),
        "contains" => {
            let value = one().ok().filter(|value| *value != Literal::Null);
            let text = match &value {
                Some(Literal::Text(text)) => text.clone(),
                _ => Cow::Owned(arguments.to_owned()),
            };
            Ok(NewPredicate::Contains { value, text })
        }
        _ => Err(DecodeError::UnknownPredicate { name: shown(name), known: NAMES }),
    }
}

/// The inside of a JSON array.
fn read_arguments(text: &str) -> Option<Vec<Literal<'static>>> {
    let array = format!("[{text}]");
    match serde_json::from_str::<AnyLiteral<'_>>(&array).ok()?.0 {
        Literal::Array(items) => Some(items.into_iter().map(into_owned).collect()),
        _ => None,
    }
}

fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(QUOTED_CHARS_MAX).collect();
    if shown.len() < text.len() {
        shown.push_str("...");
    }
    shown
}

/// An object as pairs in the order of the text.
struct Given<'a>(Vec<(Text<'a>, AnyLiteral<'a>)>);

impl<'de> Deserialize<'de> for Given<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(GivenVisitor)
    }
}

struct GivenVisitor;

impl<'de> Visitor<'de> for GivenVisitor {
    type Value = Given<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Given<'de>, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Given(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use graph_model::ErrorKind;

    fn parsed(text: &str) -> NewPredicate<'static> {
        parse_predicate(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn range(low: Bound<Literal<'static>>, high: Bound<Literal<'static>>) -> NewPredicate<'static> {
        NewPredicate::Range { low, high }
    }

    fn text(text: &'static str) -> Literal<'static> {
        Literal::Text(text.into())
    }

    #[test]
    fn every_predicate_is_read() {
        use Bound::{Excluded, Included, Unbounded};
        let int = Literal::Integer;
        assert_eq!(parsed("P.eq(5)"), NewPredicate::Equal(int(5)));
        assert_eq!(parsed("P.neq(-5)"), NewPredicate::NotEqual(int(-5)));
        assert_eq!(parsed("P.lt(5.5)"), range(Unbounded, Excluded(Literal::Float(5.5))));
        assert_eq!(parsed("P.lte( 5 )"), range(Unbounded, Included(int(5))));
        assert_eq!(parsed("P.gt(\"2014-01-01 00:00:00\")"), range(Excluded(text("2014-01-01 00:00:00")), Unbounded));
        assert_eq!(parsed("P.gte(5)"), range(Included(int(5)), Unbounded));
        assert_eq!(parsed("P.between(1, 2)"), range(Included(int(1)), Excluded(int(2))));
        assert_eq!(parsed("P.inside(1,2)"), range(Excluded(int(1)), Excluded(int(2))));
        assert_eq!(parsed("P.outside(1,2)"), NewPredicate::Outside(int(1), int(2)));
        assert_eq!(parsed("P.within(1,\"a)(\",2)"), NewPredicate::OneOf(vec![int(1), text("a)("), int(2)]));
        assert_eq!(parsed("P.within()"), NewPredicate::OneOf(Vec::new()));
        assert_eq!(parsed("P.textcontains(\"a b\")"), NewPredicate::TextContains("a b".into()));
        assert_eq!(parsed("P.textcontains(a b)"), NewPredicate::TextContains("a b".into()));
        let contains = |value, text: &'static str| NewPredicate::Contains { value, text: text.into() };
        assert_eq!(parsed("P.contains(\"x\")"), contains(Some(text("x")), "x"));
        assert_eq!(parsed("P.contains(x)"), contains(None, "x"));
        assert_eq!(parsed("P.contains(7)"), contains(Some(int(7)), "7"));
    }

    #[test]
    fn what_is_no_predicate_is_refused() {
        for wrong in [
            "P.",
            "P.gt",
            "P.gt(5",
            "P.gt5)",
            "P.(5)",
            "P.GT(5)",
            "P.gt (5)",
            "P.gt(5) ",
            "P.gt()",
            "P.gt(1,2)",
            "P.gt(abc)",
            "P.gt(5))",
            "P.between(1)",
            "P.between(1,2,3)",
            "P.within(1,)",
            "P.within(1],[2)",
        ] {
            let error = parse_predicate(wrong).unwrap_err();
            assert!(matches!(error, DecodeError::Predicate { .. }), "{wrong}: {error}");
            assert_eq!(error.kind(), ErrorKind::BadInput);
        }
        let error = parse_predicate("P.near(5)").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotSupported);
        assert!(error.to_string().contains("'near'") && error.to_string().contains("textcontains"), "{error}");
    }

    #[test]
    fn conditions_are_an_object_of_values_and_predicates() {
        let given = decode_conditions(r#"{"age":"P.gt(18)","city":"Bei\u006aing","tags":["x"]}"#, false).unwrap();
        assert_eq!(given[0], ("age".into(), range(Bound::Excluded(Literal::Integer(18)), Bound::Unbounded)));
        assert_eq!(given[1], ("city".into(), NewPredicate::Equal(text("Beijing"))));
        assert_eq!(given[2], ("tags".into(), NewPredicate::Equal(Literal::Array(vec![text("x")]))));
        let kept = decode_conditions(r#"{"name":"P.gt(18)"}"#, true).unwrap();
        assert_eq!(kept, [("name".into(), NewPredicate::Equal(text("P.gt(18)")))]);
        assert_eq!(decode_conditions("{}", false), Ok(Vec::new()));
        for wrong in ["", "[]", "1", "{\"a\":1", "{\"a\":1} x", "null"] {
            assert!(matches!(decode_conditions(wrong, false), Err(DecodeError::Conditions { .. })), "{wrong}");
        }
    }

    #[test]
    fn an_array_selects_one_of_its_values() {
        let array = Literal::Array(vec![text("a"), text("b")]);
        assert_eq!(selecting_predicate(array), Ok(NewPredicate::OneOf(vec![text("a"), text("b")])));
        assert_eq!(selecting_predicate(text("a")), Ok(NewPredicate::Equal(text("a"))));
    }
}
