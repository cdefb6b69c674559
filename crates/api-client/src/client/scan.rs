//! Reading a whole graph in parts: shards, and pages of their elements as the server wrote them.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::client::elements::ElementKind;
use crate::client::{Client, Request, escape};
use crate::error::ClientError;

/// A part of all vertices or of all edges. Its bounds are opaque.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Where it begins.
    pub start: String,
    /// Where it ends.
    pub end: String,
    /// About how many bytes it takes; 0 if the server does not know.
    #[serde(default)]
    pub length: u64,
}

impl Client {
    /// The shards of all vertices or edges, of about `split_size_bytes` each (HugeGraph takes 1 MiB or more).
    ///
    /// # Errors
    /// A refusal by a server whose store cannot be scanned in parts.
    pub async fn shards(&self, kind: ElementKind, split_size_bytes: u64) -> Result<Vec<Shard>, ClientError> {
        #[derive(Deserialize)]
        struct Wire {
            shards: Vec<Shard>,
        }
        let path = format!("{}/shards?split_size={split_size_bytes}", traverser(kind));
        Ok(self.call::<Wire>(Request::get(path)).await?.shards)
    }

    /// A page of the elements of a shard: the text of `{"vertices":[..],"page":..}` or `{"edges":[..],"page":..}`.
    /// Pass `None` as `page` for the first one.
    ///
    /// # Errors
    /// [`ClientError::Refused`] with "Too many records" where a page is larger than the server answers.
    pub async fn scan(
        &self,
        kind: ElementKind,
        shard: &Shard,
        limit: u32,
        page: Option<&str>,
    ) -> Result<Bytes, ClientError> {
        let (start, end, page) = (escape(&shard.start), escape(&shard.end), escape(page.unwrap_or_default()));
        let path = format!("{}/scan?start={start}&end={end}&page={page}&page_limit={limit}", traverser(kind));
        self.call_raw(Request::get(path)).await
    }

    /// A page of the list of all vertices or edges, as text: see [`Client::scan`].
    ///
    /// # Errors
    /// A refusal by a server whose store does not page.
    pub async fn list_text(&self, kind: ElementKind, limit: u32, page: Option<&str>) -> Result<Bytes, ClientError> {
        let path = format!("{}?limit={limit}&page={}", kind.path(), escape(page.unwrap_or_default()));
        self.call_raw(Request::get(path)).await
    }

    /// The definitions of one kind with all their fields. `list` is `propertykeys`, `vertexlabels`, `edgelabels` or
    /// `indexlabels`.
    ///
    /// # Errors
    /// Any [`ClientError`] of the request.
    pub async fn definitions(&self, list: &str) -> Result<Vec<Value>, ClientError> {
        let reply = self.call::<Value>(Request::get(format!("schema/{list}"))).await?;
        list_of(reply, list)
    }

    /// The variables of the graph.
    ///
    /// # Errors
    /// Any [`ClientError`] of the request.
    pub async fn variables(&self) -> Result<Map<String, Value>, ClientError> {
        self.call(Request::get("variables".into())).await
    }

    /// Sets a variable of the graph.
    ///
    /// # Errors
    /// Any [`ClientError`] of the request.
    pub async fn set_variable(&self, name: &str, value: &Value) -> Result<(), ClientError> {
        let body = serde_json::json!({ "data": value }).to_string();
        let mut request = Request::with_body(reqwest::Method::PUT, format!("variables/{}", escape(name)), body);
        request.repeatable = true;
        self.call_raw(request).await.map(drop)
    }

    /// All records of one kind of the server's users and rights. `list` is `users`, `groups`, `targets`, `belongs` or
    /// `accesses`. HugeGraph's users come with the hashes of their passwords.
    ///
    /// # Errors
    /// [`ClientError::Server`] by a HugeGraph without authentication.
    pub async fn user_records(&self, list: &str) -> Result<Vec<Value>, ClientError> {
        let reply = self.ask_server(Request::get(format!("{}?limit=-1", self.user_path(list)))).await?;
        list_of(reply, list)
    }

    /// Makes a record of one kind: see [`Client::user_records`]. A server of this project takes a hash in place of a
    /// password from an administrator.
    ///
    /// # Errors
    /// [`ClientError::Refused`] if there is one of the name.
    pub async fn create_user_record(&self, list: &str, body: &Value) -> Result<(), ClientError> {
        let request = Request::with_body(reqwest::Method::POST, self.user_path(list), body.to_string());
        self.call_server(request).await.map(drop)
    }

    /// The path of a kind of records, which moved twice.
    fn user_path(&self, list: &str) -> String {
        match (self.versions().has_graphspaces(), list) {
            (true, "groups") => "auth/groups".to_owned(),
            (true, _) => format!("graphspaces/{}/auth/{list}", escape(&self.options().graphspace)),
            (false, _) => format!("{}/auth/{list}", self.graph_path()),
        }
    }
}

fn traverser(kind: ElementKind) -> &'static str {
    match kind {
        ElementKind::Vertex => "traversers/vertices",
        ElementKind::Edge => "traversers/edges",
    }
}

/// The list of a name in a reply.
fn list_of(mut reply: Value, list: &str) -> Result<Vec<Value>, ClientError> {
    match reply.get_mut(list).map(Value::take) {
        Some(Value::Array(items)) => Ok(items),
        _ => Err(ClientError::Reply { request: format!("GET {list}"), reason: format!("there is no list \"{list}\"") }),
    }
}
