//! Documents that pages keep with a graph for everybody who may see its variables: scenes. A document is two rows of
//! `meta`, written in one batch: what lists say of it, and its text, so that a list reads no text. They go where the
//! graph goes: into snapshots, backups and copies, and away when it is cleared or dropped.

use graph_host::HostedGraph;
use graph_store::{StoreError, now_ms};
use key_codec::key::{self, MetaKind};
use key_codec::{CodecError, tables};
use kv::{KeyBuf, RowRange, WriteBatch};
use rest_errors::ApiError;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::limits::{DOCUMENT_ABOUT_BYTES_MAX, DOCUMENT_BYTES_MAX, DOCUMENT_NAME_CHARS_MAX, DOCUMENTS_MAX};

/// What documents may be.
pub(crate) const KINDS: [&str; 1] = ["scene"];

const BROKEN: CodecError = CodecError { what: "document of a page", problem: "no JSON of this version", at: 0 };

/// A document as it is sent. Texts are kept as they are, so that numbers keep all their digits.
#[derive(Deserialize)]
pub(crate) struct Sent<'a> {
    /// What lists show of it.
    #[serde(borrow)]
    about: Option<&'a RawValue>,
    #[serde(borrow)]
    content: &'a RawValue,
}

/// What lists say of a document.
#[derive(Serialize, Deserialize)]
struct Title {
    at_ms: i64,
    by: String,
    bytes: usize,
    about: Box<RawValue>,
}

/// The name of a kind.
///
/// # Errors
/// There is no such kind.
pub(crate) fn kind(name: &str) -> Result<&'static str, ApiError> {
    let known = KINDS.iter().find(|kind| **kind == name);
    known.copied().ok_or_else(|| ApiError::bad_input(format!("'kind' must be one of {}", KINDS.join(", "))))
}

/// All documents of a kind, by name.
///
/// # Errors
/// Those of storage.
pub(crate) fn list(graph: &HostedGraph, kind: &str) -> Result<Value, StoreError> {
    let mut partition = Vec::new();
    key::meta_partition(&mut partition, graph.number(), MetaKind::Setting);
    let prefix = row_name(Row::Title, kind, "");
    // Names are stored as they are, except for control characters, which these have none of.
    let (start, mut end) = (prefix.as_bytes(), prefix.clone().into_bytes());
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    let mut documents = Vec::new();
    let range = RowRange { partition: &partition, start, end: Some(&end) };
    let mut cursor = graph.engine().scan(tables::META, range)?;
    while let Some(entry) = cursor.next()? {
        let name = key::read_meta_row_name(entry.key.row())?;
        let title: Title = serde_json::from_slice(entry.value).map_err(|_| BROKEN)?;
        let about: Value = serde_json::from_str(title.about.get()).map_err(|_| BROKEN)?;
        documents.push(json!({
            "name": name.strip_prefix(prefix.as_str()).unwrap_or_default(), "at_ms": title.at_ms, "by": title.by,
            "bytes": title.bytes, "about": about,
        }));
    }
    graph.unless_cleared(json!({ "documents": documents, "documents_max": DOCUMENTS_MAX }))
}

/// The text of a document.
///
/// # Errors
/// There is none of this name; those of storage.
pub(crate) fn read(graph: &HostedGraph, kind: &str, name: &str) -> Result<Vec<u8>, ApiError> {
    let mut found = None;
    let key = row_key(graph, Row::Content, kind, name);
    let read = graph.engine().get(tables::META, key.as_key(), &mut |value| found = Some(value.to_vec()));
    read.map_err(StoreError::from)?;
    graph.unless_cleared(())?;
    found.ok_or_else(|| ApiError::nothing(format!("the graph keeps no {kind} with the name '{name}'")))
}

/// Keeps a document, in place of one of the same name.
///
/// # Errors
/// It is too large, or there are too many; those of storage.
pub(crate) fn write(graph: &HostedGraph, kind: &str, name: &str, by: &str, body: &[u8]) -> Result<(), ApiError> {
    let chars = name.chars().count();
    if chars == 0 || chars > DOCUMENT_NAME_CHARS_MAX || name.chars().any(char::is_control) {
        return Err(ApiError::bad_input(format!(
            "'name' must have 1 to {DOCUMENT_NAME_CHARS_MAX} characters, none of which is a control character"
        )));
    }
    let sent: Sent<'_> = serde_json::from_slice(body).map_err(|error| {
        ApiError::bad_input(format!("the body must be a JSON object with 'content', and 'about' for lists: {error}"))
    })?;
    let about = sent.about.map_or("null", RawValue::get);
    let content = sent.content.get();
    for (part, bytes, most) in
        [("about", about.len(), DOCUMENT_ABOUT_BYTES_MAX), ("content", content.len(), DOCUMENT_BYTES_MAX)]
    {
        if bytes > most {
            return Err(ApiError::bad_input(format!(
                "'{part}' has {bytes} bytes, but may have {most}; keep less in it"
            )));
        }
    }
    let about = RawValue::from_string(about.to_owned()).map_err(|_| ApiError::defect())?;
    let title = Title { at_ms: now_ms(), by: by.to_owned(), bytes: content.len(), about };
    let title = serde_json::to_vec(&title).map_err(|_| ApiError::defect())?;
    let _one_at_a_time = graph.lock_schema()?;
    let is_new = {
        let mut is_new = true;
        let key = row_key(graph, Row::Title, kind, name);
        graph.engine().get(tables::META, key.as_key(), &mut |_| is_new = false).map_err(StoreError::from)?;
        is_new
    };
    let kept =
        if is_new { list(graph, kind)?.get("documents").and_then(Value::as_array).map_or(0, Vec::len) } else { 0 };
    if kept >= DOCUMENTS_MAX {
        return Err(ApiError::bad_input(format!(
            "the graph keeps {kept} documents of the kind {kind}, the most there may be; delete some"
        )));
    }
    let mut batch = WriteBatch::new();
    for (row, value) in [(Row::Title, &*title), (Row::Content, content.as_bytes())] {
        batch.put(
            tables::META,
            |b| key::meta_partition(b, graph.number(), MetaKind::Setting),
            |b| key::meta_row_name(b, &row_name(row, kind, name)),
            |v| v.extend_from_slice(value),
        );
    }
    graph.engine().commit(batch).map_err(StoreError::from)?;
    Ok(())
}

/// Deletes a document; that there is none is fine.
///
/// # Errors
/// Those of storage.
pub(crate) fn delete(graph: &HostedGraph, kind: &str, name: &str) -> Result<(), StoreError> {
    let _one_at_a_time = graph.lock_schema()?;
    let mut batch = WriteBatch::new();
    for row in [Row::Title, Row::Content] {
        batch.delete(
            tables::META,
            |b| key::meta_partition(b, graph.number(), MetaKind::Setting),
            |b| key::meta_row_name(b, &row_name(row, kind, name)),
        );
    }
    Ok(graph.engine().commit(batch)?)
}

/// The two rows of a document.
#[derive(Clone, Copy)]
enum Row {
    Title,
    Content,
}

fn row_name(row: Row, kind: &str, name: &str) -> String {
    let of = match row {
        Row::Title => "ui.title",
        Row::Content => "ui.content",
    };
    format!("{of}/{kind}/{name}")
}

fn row_key(graph: &HostedGraph, row: Row, kind: &str, name: &str) -> KeyBuf {
    let mut key = KeyBuf::new();
    key::meta_partition(key.bytes_mut(), graph.number(), MetaKind::Setting);
    key.end_partition();
    key::meta_row_name(key.bytes_mut(), &row_name(row, kind, name));
    key
}
