//! Configurations of graphs as they come and go: JSON objects, or the text of a Java properties file.
//!
//! Every key is kept and given back. None but `schema.mode` changes what the graph does: what it is stored with is the
//! server's setting.

use std::collections::BTreeMap;

use java_properties::{PropertiesIter, PropertiesWriter};
use rest_errors::ApiError;
use serde_json::Value;

/// A configuration: values by their keys.
type GraphConf = BTreeMap<String, String>;

/// Keys that must not be empty where they are given.
const NEVER_EMPTY: [&str; 3] = ["backend", "serializer", "store"];

/// Characters of a graph's second name, as in HugeGraph.
const NICKNAME_CHARS_MAX: usize = 48;

/// Reads a configuration; its form is detected from its content, since clients send JSON as plain text too.
///
/// # Errors
/// It is neither, or a value of it cannot be.
pub fn read(body: &[u8]) -> Result<GraphConf, ApiError> {
    let text = std::str::from_utf8(body).map_err(|error| {
        ApiError::bad_input(format!("the configuration is not UTF-8 at byte {}", error.valid_up_to()))
    })?;
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let conf = if text.starts_with(['{', '[']) { read_json(text)? } else { read_properties(text)? };
    for key in NEVER_EMPTY {
        if conf.get(key).is_some_and(|value| value.trim().is_empty()) {
            return Err(ApiError::bad_input(format!("'{key}' of the configuration must not be empty")));
        }
    }
    conf.get("nickname").map_or(Ok(()), |nickname| check_nickname(nickname))?;
    Ok(conf)
}

fn read_json(text: &str) -> Result<GraphConf, ApiError> {
    let given: serde_json::Map<String, Value> = serde_json::from_str(text).map_err(|error| {
        ApiError::bad_input(format!("the configuration must be a JSON object or Java properties: {error}"))
    })?;
    let text_of = |value: Value| match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    };
    Ok(given.into_iter().filter_map(|(key, value)| Some((key, text_of(value)?))).collect())
}

fn read_properties(text: &str) -> Result<GraphConf, ApiError> {
    let mut conf = GraphConf::new();
    PropertiesIter::new_with_encoding(text.as_bytes(), encoding_rs::UTF_8)
        .read_into(|key, value| drop(conf.insert(key, value)))
        .map_err(|error| ApiError::bad_input(format!("the configuration is no Java properties: {error}")))?;
    Ok(conf)
}

/// Checks the second name of a graph, which is for people.
///
/// # Errors
/// It does not begin with a letter, or is too long.
pub fn check_nickname(nickname: &str) -> Result<(), ApiError> {
    let begins = nickname.chars().next().is_some_and(char::is_alphabetic);
    if begins && nickname.chars().count() <= NICKNAME_CHARS_MAX && !nickname.contains(char::is_control) {
        return Ok(());
    }
    Err(ApiError::bad_input(format!(
        "the nickname must begin with a letter and have at most {NICKNAME_CHARS_MAX} characters, but got '{nickname}'"
    )))
}

/// Writes a configuration as Java properties.
///
/// # Errors
/// None that is known: the writer's own.
pub fn write(conf: &GraphConf) -> Result<String, ApiError> {
    let mut bytes = Vec::new();
    let mut writer = PropertiesWriter::new_with_encoding(&mut bytes, encoding_rs::UTF_8);
    for (key, value) in conf {
        writer.write(key, value).map_err(|_| ApiError::defect())?;
    }
    writer.finish().map_err(|_| ApiError::defect())?;
    String::from_utf8(bytes).map_err(|_| ApiError::defect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conf(pairs: &[(&str, &str)]) -> GraphConf {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn both_forms_are_read() {
        let expected = conf(&[("backend", "rocksdb"), ("store", "g"), ("x", "1")]);
        assert_eq!(read(b" {\"backend\":\"rocksdb\",\"store\":\"g\",\"x\":1,\"y\":null}").unwrap(), expected);
        assert_eq!(read(b"# about\nbackend = rocksdb\nstore:g\r\nx \\\n  1\n").unwrap(), expected);
        assert_eq!(read(b"").unwrap(), GraphConf::new());
    }

    #[test]
    fn what_is_written_is_read_back() {
        let odd = conf(&[("a b", "c = d"), ("k:", " x\\\n#"), ("\u{fc}", "\u{1F600}"), ("z", "")]);
        assert_eq!(read(write(&odd).unwrap().as_bytes()).unwrap(), odd);
    }

    #[test]
    fn nonsense_is_refused() {
        for wrong in [&b"[1]"[..], b"{", b"{\"store\":\" \"}", b"serializer=", b"nickname=1x", b"\xff", b"a=\\u12"] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
