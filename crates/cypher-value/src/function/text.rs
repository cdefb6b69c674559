//! Functions of texts. Positions and lengths count characters.

use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

use crate::context::Context;
use crate::error::{Detail, Error, Result};
use crate::limits;
use crate::value::Value;

/// A position or length that is not below zero.
fn natural(value: i64, what: &str) -> Result<usize> {
    usize::try_from(value).map_err(|_| {
        Error::argument(Detail::NegativeIntegerArgument, format!("the {what} must not be below 0, found {value}"))
    })
}

pub(super) fn left(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    let [Value::String(text), Value::Integer(length)] = arguments else { return Ok(Value::Null) };
    let length = natural(*length, "length")?;
    Ok(Value::from(text.chars().take(length).collect::<String>()))
}

pub(super) fn right(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    let [Value::String(text), Value::Integer(length)] = arguments else { return Ok(Value::Null) };
    let before = text.chars().count().saturating_sub(natural(*length, "length")?);
    Ok(Value::from(text.chars().skip(before).collect::<String>()))
}

pub(super) fn substring(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    let (text, start, length) = match arguments {
        [Value::String(text), Value::Integer(start)] => (text, *start, usize::MAX),
        [Value::String(text), Value::Integer(start), Value::Integer(length)] => {
            (text, *start, natural(*length, "length")?)
        }
        _ => return Ok(Value::Null),
    };
    let start = natural(start, "start")?;
    Ok(Value::from(text.chars().skip(start).take(length).collect::<String>()))
}

pub(super) fn replace(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    let [Value::String(text), Value::String(search), Value::String(by)] = arguments else { return Ok(Value::Null) };
    if search.is_empty() {
        return Ok(Value::String(text.clone()));
    }
    let length = text.matches(search.as_str()).count().saturating_mul(by.len()).saturating_add(text.len());
    if length > limits::TEXT_BYTES_MAX {
        return Err(Error::argument(
            Detail::NumberOutOfRange,
            format!("replace() makes at most {} bytes (TEXT_BYTES_MAX)", limits::TEXT_BYTES_MAX),
        ));
    }
    Ok(Value::from(text.replace(search.as_str(), by)))
}

pub(super) fn split(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    let (text, delimiters) = match arguments {
        [Value::String(text), Value::String(delimiter)] => (text, vec![delimiter.as_str()]),
        [Value::String(text), Value::List(delimiters)] => {
            let texts = delimiters.iter().map(|delimiter| match delimiter {
                Value::String(text) => Ok(Some(text.as_str())),
                Value::Null => Ok(None),
                other => Err(Error::type_error(
                    Detail::InvalidArgumentValue,
                    format!("split() expects STRINGs as delimiters, found {}", other.type_name()),
                )),
            });
            match texts.collect::<Result<Option<Vec<_>>>>()? {
                Some(delimiters) => (text, delimiters),
                None => return Ok(Value::Null),
            }
        }
        _ => return Ok(Value::Null),
    };
    if delimiters.iter().all(|delimiter| delimiter.is_empty()) {
        let mut buffer = [0; 4];
        return Ok(Value::list(text.chars().map(|letter| Value::from(&*letter.encode_utf8(&mut buffer))).collect()));
    }
    let mut parts = Vec::new();
    let (mut rest, mut start) = (text.as_str(), 0);
    while start < rest.len() {
        let here = rest.get(start..).unwrap_or_default();
        let found = delimiters.iter().find(|delimiter| !delimiter.is_empty() && here.starts_with(**delimiter));
        if let Some(delimiter) = found {
            parts.push(Value::from(rest.get(..start).unwrap_or_default()));
            rest = here.get(delimiter.len()..).unwrap_or_default();
            start = 0;
        } else {
            start += here.chars().next().map_or(1, char::len_utf8);
        }
    }
    parts.push(Value::from(rest));
    Ok(Value::list(parts))
}

pub(super) fn lower(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::String(text)] => Value::from(text.to_lowercase()),
        _ => Value::Null,
    })
}

pub(super) fn upper(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(match arguments {
        [Value::String(text)] => Value::from(text.to_uppercase()),
        _ => Value::Null,
    })
}

/// Cuts white space, or some characters, off the ends of a text.
fn cut(arguments: &[Value], start: bool, end: bool) -> Value {
    let (text, characters) = match arguments {
        [Value::String(text)] => (text, None),
        [Value::String(text), Value::String(characters)] => (text, Some(characters)),
        _ => return Value::Null,
    };
    let is_cut = |letter: char| match characters {
        Some(characters) => characters.contains(letter),
        None => letter.is_whitespace(),
    };
    let mut rest = text.as_str();
    if start {
        rest = rest.trim_start_matches(is_cut);
    }
    if end {
        rest = rest.trim_end_matches(is_cut);
    }
    Value::from(rest)
}

pub(super) fn trim(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(cut(arguments, true, true))
}

pub(super) fn trim_start(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(cut(arguments, true, false))
}

pub(super) fn trim_end(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    Ok(cut(arguments, false, true))
}

pub(super) fn normalize(arguments: &[Value], _: &Context<'_>) -> Result<Value> {
    let (text, form) = match arguments {
        [Value::String(text)] => (text, "NFC"),
        [Value::String(text), Value::String(form)] => (text, form.as_str()),
        _ => return Ok(Value::Null),
    };
    Ok(Value::from(match form.to_ascii_uppercase().as_str() {
        "NFC" => ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned(),
        "NFKC" => ComposingNormalizerBorrowed::new_nfkc().normalize(text).into_owned(),
        "NFD" => DecomposingNormalizerBorrowed::new_nfd().normalize(text).into_owned(),
        "NFKD" => DecomposingNormalizerBorrowed::new_nfkd().normalize(text).into_owned(),
        _ => {
            return Err(Error::argument(
                Detail::InvalidArgumentValue,
                format!("`{form}` is not a normal form: NFC, NFD, NFKC, NFKD"),
            ));
        }
    }))
}
