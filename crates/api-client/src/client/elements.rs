//! Reading and writing vertices and edges: batches in, pages out.

use std::fmt;
use std::io::Write as _;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use reqwest::Method;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::client::{Client, Request, escape};
use crate::error::ClientError;

/// Vertices or edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementKind {
    /// Vertices.
    Vertex,
    /// Edges.
    Edge,
}

impl ElementKind {
    pub(crate) fn path(self) -> &'static str {
        match self {
            Self::Vertex => "graph/vertices",
            Self::Edge => "graph/edges",
        }
    }
}

impl fmt::Display for ElementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vertex => "vertex",
            Self::Edge => "edge",
        })
    }
}

/// The id of a vertex. A number and a text of the same digits are different ids.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum VertexId {
    /// A text, also the computed id of a primary-key vertex (`1:ann`).
    Text(String),
    /// A number.
    Number(i64),
    /// A UUID in its text form.
    Uuid(String),
}

impl VertexId {
    /// The id as the literal the server wants in paths and query values, not yet percent-encoded.
    #[must_use]
    pub fn literal(&self) -> String {
        match self {
            Self::Text(text) => Value::from(text.as_str()).to_string(),
            Self::Number(number) => number.to_string(),
            Self::Uuid(text) => format!("U{}", Value::from(text.as_str())),
        }
    }

    /// The id as written in a JSON body.
    #[must_use]
    pub fn json(&self) -> Value {
        match self {
            Self::Text(text) | Self::Uuid(text) => Value::from(text.as_str()),
            Self::Number(number) => Value::from(*number),
        }
    }
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The elements, in the server's JSON form.
    pub elements: Vec<Value>,
    /// What to pass to get the next page; `None` after the last.
    pub next: Option<String>,
}

#[derive(Deserialize)]
struct PageWire<T> {
    #[serde(alias = "edges")]
    vertices: Vec<T>,
    #[serde(default)]
    page: Option<String>,
}

impl Client {
    /// Inserts vertices; existing ids are replaced as a whole. `json_array` is the JSON text of an array of vertices.
    /// Gives the ids in the order of the array. `repeatable` says that a request without an answer may be sent again:
    /// true unless the server makes up the ids (it would then make the vertices twice).
    ///
    /// # Errors
    /// [`ClientError::Refused`] if any vertex is bad: none of the batch is stored then.
    pub async fn add_vertices(&self, json_array: Bytes, repeatable: bool) -> Result<Vec<Value>, ClientError> {
        self.add("graph/vertices/batch".into(), json_array, repeatable).await
    }

    /// Inserts edges; an existing edge is replaced. `json_array` is the JSON text of an array of edges. With
    /// `check_vertex` the server refuses the batch if an end vertex is missing. Gives the ids in the order of the
    /// array.
    ///
    /// # Errors
    /// [`ClientError::Refused`] if any edge is bad: none of the batch is stored then.
    pub async fn add_edges(&self, json_array: Bytes, check_vertex: bool) -> Result<Vec<Value>, ClientError> {
        self.add(format!("graph/edges/batch?check_vertex={check_vertex}"), json_array, true).await
    }

    async fn add(&self, path: String, json: Bytes, repeatable: bool) -> Result<Vec<Value>, ClientError> {
        let gzip = self.options().gzip_requests;
        let body = if gzip { compress(&json) } else { json };
        let request = Request { method: Method::POST, path, body: Some(body), gzip, repeatable };
        self.call(request).await
    }

    /// Reads one vertex in the server's JSON form.
    ///
    /// # Errors
    /// [`ClientError::NotFound`] if it does not exist.
    pub async fn vertex(&self, id: &VertexId) -> Result<Value, ClientError> {
        self.call(Request::get(format!("graph/vertices/{}", escape(&id.literal())))).await
    }

    /// Reads one edge in the server's JSON form.
    ///
    /// # Errors
    /// [`ClientError::NotFound`] if it does not exist.
    pub async fn edge(&self, id: &str) -> Result<Value, ClientError> {
        self.call(Request::get(format!("graph/edges/{}", escape(id)))).await
    }

    /// Deletes one vertex and its edges.
    ///
    /// # Errors
    /// [`ClientError::Refused`] if it does not exist (the contract's choice).
    pub async fn delete_vertex(&self, id: &VertexId) -> Result<(), ClientError> {
        self.call_raw(Request::delete(format!("graph/vertices/{}", escape(&id.literal())))).await.map(drop)
    }

    /// Deletes one edge.
    ///
    /// # Errors
    /// [`ClientError::Refused`] if it does not exist (the contract's choice).
    pub async fn delete_edge(&self, id: &str) -> Result<(), ClientError> {
        self.call_raw(Request::delete(format!("graph/edges/{}", escape(id)))).await.map(drop)
    }

    /// Reads a page of vertices or edges, of one label or of all. Pass `None` as `page` for the first page.
    ///
    /// # Errors
    /// [`ClientError::Refused`] if the label is unknown or has no label index.
    pub async fn list(
        &self,
        kind: ElementKind,
        label: Option<&str>,
        limit: u32,
        page: Option<&str>,
    ) -> Result<Page, ClientError> {
        let wire: PageWire<Value> = self.call(list_request(kind, label, limit, page)).await?;
        Ok(Page { elements: wire.vertices, next: wire.page.filter(|token| !token.is_empty()) })
    }

    /// Counts the elements of a label by reading all pages of its list, `page_elements` at a time.
    ///
    /// # Errors
    /// As for [`Client::list`].
    pub async fn count(&self, kind: ElementKind, label: &str, page_elements: u32) -> Result<u64, ClientError> {
        let mut count = 0_u64;
        let mut page: Option<String> = None;
        loop {
            let request = list_request(kind, Some(label), page_elements, page.as_deref());
            let wire: PageWire<IgnoredAny> = self.call(request).await?;
            count = count.saturating_add(wire.vertices.len() as u64);
            match wire.page.filter(|token| !token.is_empty()) {
                Some(next) => page = Some(next),
                None => return Ok(count),
            }
        }
    }
}

fn list_request(kind: ElementKind, label: Option<&str>, limit: u32, page: Option<&str>) -> Request {
    let mut path = format!("{}?limit={limit}&page={}", kind.path(), escape(page.unwrap_or_default()));
    if let Some(label) = label {
        path.push_str("&label=");
        path.push_str(&escape(label));
    }
    Request::get(path)
}

fn compress(json: &[u8]) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::with_capacity(json.len() / 4), Compression::fast());
    // Writing to a Vec has no way to fail; if it ever did, an empty body would be refused by the server, not stored.
    match encoder.write_all(json).and_then(|()| encoder.finish()) {
        Ok(bytes) => bytes.into(),
        Err(_) => Bytes::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertex_ids_are_json_literals() {
        assert_eq!(VertexId::Text("2:ro\"me".into()).literal(), r#""2:ro\"me""#);
        assert_eq!(VertexId::Number(-5).literal(), "-5");
        assert_eq!(
            VertexId::Uuid("835e1153-9281-4957-8691-cf79258e90eb".into()).literal(),
            "U\"835e1153-9281-4957-8691-cf79258e90eb\""
        );
    }

    #[test]
    fn the_first_page_is_asked_for_with_an_empty_token() {
        let request = list_request(ElementKind::Edge, Some("a b"), 10, None);
        assert_eq!(request.path, "graph/edges?limit=10&page=&label=a%20b");
        let request = list_request(ElementKind::Vertex, None, 10, Some("a+/="));
        assert_eq!(request.path, "graph/vertices?limit=10&page=a%2B%2F%3D");
    }
}
