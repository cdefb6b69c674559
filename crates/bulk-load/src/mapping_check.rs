//! Reading a mapping file and refusing, with the place in the file, whatever it says that cannot be done. Everything
//! here happens before the server is asked for anything.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::dates::{DateFormat, read_zone};
use crate::error::LoadError;
use crate::limits::{DESCRIPTION_BYTES_MAX, SUGGESTION_LIKENESS_MIN};
use crate::mapping::{Fields, Format, Input, KNOWN_KEYS, Mapping, Struct};

/// Reads and checks a mapping file.
///
/// # Errors
/// [`LoadError::File`], [`LoadError::Json`], or [`LoadError::Description`] with the JSON path of what is wrong.
pub fn read_mapping(path: &Path) -> Result<Mapping, LoadError> {
    checked(path, &read_json(path)?)
}

/// Checks the text of a mapping; `path` is the file that errors name.
///
/// # Errors
/// [`LoadError::Json`], or [`LoadError::Description`] with the JSON path of what is wrong.
pub fn parse_mapping(path: &Path, text: &str) -> Result<Mapping, LoadError> {
    checked(path, &parse_json(path, text)?)
}

fn checked(path: &Path, value: &Value) -> Result<Mapping, LoadError> {
    check_version(value).map_err(|(at, reason)| LoadError::description(path, at, reason))?;
    check_input_types(value).map_err(|(at, reason)| LoadError::description(path, at, reason))?;
    let mapping: Mapping = decode(path, value)?;
    check(&mapping).map_err(|(at, reason)| LoadError::description(path, at, reason))?;
    Ok(mapping)
}

/// Reads a JSON file of descriptions (mapping, schema).
pub(crate) fn read_json(path: &Path) -> Result<Value, LoadError> {
    let size = std::fs::metadata(path).map_err(|error| LoadError::file("read", path, error))?.len();
    if size > DESCRIPTION_BYTES_MAX {
        let reason = format!("the file has {size} bytes, at most {DESCRIPTION_BYTES_MAX} are read; is it a data file?");
        return Err(LoadError::description(path, "(file)", reason));
    }
    let text = std::fs::read_to_string(path).map_err(|error| LoadError::file("read", path, error))?;
    parse_json(path, &text)
}

fn parse_json(path: &Path, text: &str) -> Result<Value, LoadError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(text).map_err(|error| {
        let reason = error.to_string();
        let reason = reason.split(" at line ").next().unwrap_or(&reason).to_owned();
        LoadError::Json { path: path.to_owned(), line: error.line(), column: error.column(), reason }
    })
}

type Wrong = (String, String);

fn wrong(at: impl Into<String>, reason: impl Into<String>) -> Wrong {
    (at.into(), reason.into())
}

fn check_version(value: &Value) -> Result<(), Wrong> {
    match value.get("version") {
        Some(Value::String(version)) if version == "2.0" => Ok(()),
        Some(version) => Err(wrong(
            "version",
            format!("{version} is not supported; write \"2.0\" (as text), the form with \"structs\""),
        )),
        None if value.get("vertices").is_some() || value.get("edges").is_some() => Err(wrong(
            "(root)",
            "this is the version 1 form of a mapping, which is not supported; write \"version\": \"2.0\" \
             and move each \"input\" with its vertices and edges into an entry of \"structs\"",
        )),
        None => Err(wrong("(root)", "the key \"version\" is missing; write \"version\": \"2.0\"")),
    }
}

fn check_input_types(value: &Value) -> Result<(), Wrong> {
    let structs = value.get("structs").and_then(Value::as_array);
    for (index, one) in structs.into_iter().flatten().enumerate() {
        let kind = one.pointer("/input/type").and_then(Value::as_str).unwrap_or("FILE");
        if !kind.eq_ignore_ascii_case("FILE") {
            let reason =
                format!("sources of type {kind} are not supported, only FILE; export the data to CSV or JSON lines");
            return Err(wrong(format!("structs[{index}].input.type"), reason));
        }
    }
    Ok(())
}

/// Decodes with the JSON path in every error and unknown keys refused.
fn decode(path: &Path, value: &Value) -> Result<Mapping, LoadError> {
    let mut track = serde_path_to_error::Track::new();
    let deserializer = serde_path_to_error::Deserializer::new(value, &mut track);
    let mut unknown = Vec::new();
    let mut note = |at: serde_ignored::Path<'_>| unknown.push(index_in_brackets(&at.to_string()));
    let decoded = Mapping::deserialize(serde_ignored::Deserializer::new(deserializer, &mut note));
    let mapping = decoded.map_err(|error| LoadError::description(path, track.path().to_string(), error.to_string()))?;
    match unknown.into_iter().next() {
        Some(at) => Err(LoadError::description(path, &at, unknown_key(&at))),
        None => Ok(mapping),
    }
}

/// `structs.0.input` as `structs[0].input`.
fn index_in_brackets(path: &str) -> String {
    let mut text = String::new();
    for part in path.split('.').filter(|part| *part != "?") {
        if part.bytes().all(|b| b.is_ascii_digit()) {
            text.push_str(&format!("[{part}]"));
        } else {
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(part);
        }
    }
    text
}

fn unknown_key(at: &str) -> String {
    let key = at.rsplit('.').next().unwrap_or(at);
    match nearest(key, KNOWN_KEYS.iter().copied()) {
        Some(known) => format!("the key \"{key}\" is not known; did you mean \"{known}\"?"),
        None => format!("the key \"{key}\" is not known; remove it"),
    }
}

/// The known word most like the given one, if any is like it at all.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |other: &str| strsim::jaro_winkler(&word.to_lowercase(), &other.to_lowercase());
    known
        .into_iter()
        .map(|other| (likeness(other), other))
        .filter(|(score, _)| *score >= SUGGESTION_LIKENESS_MIN)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, other)| other)
}

fn check(mapping: &Mapping) -> Result<(), Wrong> {
    if mapping.structs.is_empty() {
        return Err(wrong("structs", "the list is empty; nothing would be loaded"));
    }
    let mut ids = BTreeSet::new();
    for (index, one) in mapping.structs.iter().enumerate() {
        let at = format!("structs[{index}]");
        if one.id.is_empty() {
            return Err(wrong(format!("{at}.id"), "the id is empty"));
        }
        if !ids.insert(&one.id) {
            return Err(wrong(format!("{at}.id"), format!("the id \"{}\" is used twice", one.id)));
        }
        check_struct(one, &at)?;
    }
    Ok(())
}

fn check_struct(one: &Struct, at: &str) -> Result<(), Wrong> {
    if one.vertices.is_empty() && one.edges.is_empty() {
        return Err(wrong(at, "neither \"vertices\" nor \"edges\" is given; nothing would be made from this source"));
    }
    check_input(&one.input, &format!("{at}.input"))?;
    for (index, vertex) in one.vertices.iter().enumerate() {
        let at = format!("{at}.vertices[{index}]");
        check_fields(&vertex.label, &vertex.fields(), vertex.update_strategies.is_empty(), &one.input, &at)?;
        if let Some(id) = &vertex.id {
            check_columns([id], "id", &one.input, &at)?;
        }
    }
    for (index, edge) in one.edges.iter().enumerate() {
        let at = format!("{at}.edges[{index}]");
        check_fields(&edge.label, &edge.fields(), edge.update_strategies.is_empty(), &one.input, &at)?;
        for (key, columns) in [("source", &edge.source), ("target", &edge.target)] {
            if columns.is_empty() {
                return Err(wrong(format!("{at}.{key}"), "name the columns that identify the vertex"));
            }
            check_columns(columns, key, &one.input, &at)?;
        }
    }
    Ok(())
}

fn check_fields(label: &str, fields: &Fields, no_strategies: bool, input: &Input, at: &str) -> Result<(), Wrong> {
    if label.is_empty() {
        return Err(wrong(format!("{at}.label"), "the label is empty"));
    }
    if !no_strategies {
        let reason =
            "update strategies are not supported by this loader yet; remove them, rows then replace stored elements";
        return Err(wrong(format!("{at}.update_strategies"), reason));
    }
    if !fields.selected.is_empty() && !fields.ignored.is_empty() {
        return Err(wrong(at, "\"selected\" and \"ignored\" exclude each other; give one of them"));
    }
    check_columns(&fields.selected, "selected", input, at)?;
    check_columns(&fields.ignored, "ignored", input, at)?;
    check_columns(fields.field_mapping.keys(), "field_mapping", input, at)?;
    check_columns(fields.value_mapping.keys(), "value_mapping", input, at)
}

/// Columns a mapping names must be in the header the mapping gives.
fn check_columns<'a>(
    columns: impl IntoIterator<Item = &'a String>,
    key: &str,
    input: &Input,
    at: &str,
) -> Result<(), Wrong> {
    let Some(header) = &input.header else { return Ok(()) };
    for column in columns {
        if !header.contains(column) {
            return Err(wrong(format!("{at}.{key}"), no_such_column(column, header)));
        }
    }
    Ok(())
}

/// The reason text for a column that a header lacks.
pub(crate) fn no_such_column(column: &str, header: &[String]) -> String {
    let hint = nearest(column, header.iter().map(String::as_str));
    let hint = hint.map(|known| format!("; did you mean \"{known}\"?")).unwrap_or_default();
    format!("there is no column \"{column}\"; the header has {}{hint}", header.join(", "))
}

fn check_input(input: &Input, at: &str) -> Result<(), Wrong> {
    if input.path.is_empty() {
        return Err(wrong(format!("{at}.path"), "the path is empty"));
    }
    check_delimiter(input, at)?;
    for format in std::iter::once(&input.date_format).chain(&input.extra_date_formats) {
        DateFormat::compile(format).map_err(|reason| wrong(format!("{at}.date_format"), reason))?;
    }
    read_zone(&input.time_zone).map_err(|reason| wrong(format!("{at}.time_zone"), reason))?;
    if let Err(error) = regex::Regex::new(&input.skipped_line.regex) {
        return Err(wrong(format!("{at}.skipped_line.regex"), error.to_string()));
    }
    let compression = input.compression.as_deref().unwrap_or("NONE").to_ascii_uppercase();
    if !matches!(compression.as_str(), "NONE" | "GZIP") {
        let reason = format!("compression {compression} is not supported; known are NONE and GZIP");
        return Err(wrong(format!("{at}.compression"), reason));
    }
    if let Some(charset) = &input.charset
        && encoding_rs::Encoding::for_label(charset.as_bytes()).is_none()
    {
        let reason =
            format!("character set \"{charset}\" is not known; write for example \"UTF-8\", \"GBK\" or \"ISO-8859-1\"");
        return Err(wrong(format!("{at}.charset"), reason));
    }
    if let Some(list) = &input.list_format
        && list.elem_delimiter.is_empty()
    {
        return Err(wrong(format!("{at}.list_format.elem_delimiter"), "the delimiter is empty"));
    }
    check_header(input, at)
}

fn check_delimiter(input: &Input, at: &str) -> Result<(), Wrong> {
    let Some(delimiter) = &input.delimiter else { return Ok(()) };
    let at = format!("{at}.delimiter");
    match input.format {
        Format::Json => Ok(()),
        _ if delimiter.is_empty() => Err(wrong(at, "the delimiter is empty")),
        Format::Csv if delimiter != "\\t" && delimiter.len() != 1 => {
            let reason =
                format!("a CSV delimiter is one ASCII character, got \"{delimiter}\"; use format TEXT for longer ones");
            Err(wrong(at, reason))
        }
        _ => match &input.list_format {
            Some(list) if list.elem_delimiter == *delimiter => {
                Err(wrong(at, "columns and list elements have the same delimiter; they must differ"))
            }
            _ => Ok(()),
        },
    }
}

fn check_header(input: &Input, at: &str) -> Result<(), Wrong> {
    let Some(header) = &input.header else { return Ok(()) };
    if header.is_empty() {
        return Err(wrong(format!("{at}.header"), "the list is empty; leave it out to use the first line of the file"));
    }
    let mut seen = BTreeSet::new();
    match header.iter().find(|name| !seen.insert(*name)) {
        Some(name) => Err(wrong(format!("{at}.header"), format!("the column \"{name}\" is named twice"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: &Value) -> Result<Mapping, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("mapping.json");
        std::fs::write(&path, value.to_string()).unwrap();
        read_mapping(&path).map_err(|error| error.to_string().replace(&path.display().to_string(), "mapping.json"))
    }

    fn sample() -> Value {
        json!({"version": "2.0", "structs": [{
            "id": "1",
            "input": {"type": "FILE", "path": "person.csv", "header": ["name", "age"]},
            "vertices": [{"label": "person", "null_values": ["NULL"]}]
        }]})
    }

    fn changed(pointer: &str, value: Value) -> String {
        let mut mapping = sample();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        mapping.pointer_mut(parent).unwrap()[key] = value;
        read(&mapping).unwrap_err()
    }

    #[test]
    fn defaults_are_hugegraph_loaders() {
        let mapping = read(&sample()).unwrap();
        let input = &mapping.structs[0].input;
        assert_eq!(input.format, Format::Csv);
        assert_eq!(input.date_format, "yyyy-MM-dd HH:mm:ss");
        assert_eq!(input.time_zone, "GMT+8");
        assert_eq!(input.skipped_line.regex, "(^#|^//).*|");
        assert_eq!(mapping.structs[0].vertices[0].fields().null_values, [Value::from("NULL")]);
    }

    #[test]
    fn unknown_keys_come_with_path_and_suggestion() {
        let text = changed("/structs/0/input/delimeter", json!("|"));
        assert_eq!(
            text,
            "mapping.json: structs[0].input.delimeter: the key \"delimeter\" is not known; did you mean \"delimiter\"?"
        );
        let text = changed("/structs/0/vertices/0/zzz", json!(1));
        assert!(text.contains("structs[0].vertices[0].zzz") && text.contains("remove it"), "{text}");
    }

    #[test]
    fn wrong_types_come_with_their_path() {
        let text = changed("/structs/0/vertices/0/label", json!(7));
        assert!(text.starts_with("mapping.json: structs[0].vertices[0].label: invalid type"), "{text}");
        let text = changed("/structs/0/input/format", json!("XML"));
        assert!(text.contains("structs[0].input.format") && text.contains("XML"), "{text}");
    }

    #[test]
    fn what_cannot_be_done_is_refused_with_a_way_out() {
        let cases = [
            ("/version", json!("1.0"), "write \"2.0\""),
            ("/structs/0/input/type", json!("KAFKA"), "sources of type KAFKA are not supported"),
            ("/structs/0/input/compression", json!("LZ4"), "known are NONE and GZIP"),
            ("/structs/0/input/charset", json!("KLINGON"), "\"UTF-8\""),
            ("/structs/0/input/delimiter", json!("||"), "format TEXT"),
            ("/structs/0/input/time_zone", json!("Moon"), "\"GMT+8\""),
            ("/structs/0/input/date_format", json!("qq"), "letter \"q\""),
            ("/structs/0/input/skipped_line", json!({"regex": "("}), "skipped_line.regex"),
            ("/structs/0/input/header", json!(["a", "a"]), "named twice"),
            ("/structs/0/vertices/0/update_strategies", json!({"age": "SUM"}), "not supported"),
            ("/structs/0/vertices/0/selected", json!(["nam"]), "did you mean \"name\"?"),
            ("/structs/0/vertices", json!([]), "nothing would be made"),
        ];
        for (pointer, value, expected) in cases {
            let text = changed(pointer, value);
            assert!(text.contains(expected), "{pointer}: {text}");
        }
    }

    #[test]
    fn the_version_1_form_is_recognised() {
        let text = read(&json!({"vertices": [], "edges": []})).unwrap_err();
        assert!(text.contains("version 1 form"), "{text}");
    }

    #[test]
    fn broken_json_has_line_and_column() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("m.json");
        std::fs::write(&path, "{\n  \"version\": 2.0,,\n}").unwrap();
        let text = read_mapping(&path).unwrap_err().to_string();
        assert!(text.contains("line 2, column 18"), "{text}");
    }
}
