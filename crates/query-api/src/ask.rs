//! What a request asks for.

use std::time::Duration;

use cypher_session::Failure;
use cypher_value::{Map, Text};
use serde::Deserialize;
use serde_json::{Map as JsonMap, Value as Json};

use crate::status::invalid;
use crate::typed;

/// A body as clients send it.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    statement: Option<String>,
    #[serde(default)]
    parameters: Option<JsonMap<String, Json>>,
    #[serde(default)]
    include_counters: Option<bool>,
    #[serde(default)]
    access_mode: Option<String>,
    #[serde(default)]
    bookmarks: Option<Vec<String>>,
    #[serde(default)]
    impersonated_user: Option<String>,
    #[serde(default)]
    max_execution_time: Option<u64>,
}

/// A request, read.
#[derive(Debug, Default)]
pub(crate) struct Ask {
    /// The query; none where a transaction is only begun or ended.
    pub(crate) text: Option<Text>,
    pub(crate) parameters: Map,
    pub(crate) has_counters: bool,
    pub(crate) is_read: bool,
    pub(crate) bookmarks: Vec<Text>,
    pub(crate) impersonated: Option<String>,
    pub(crate) timeout: Option<Duration>,
}

/// Reads a body. An empty one asks for nothing.
pub(crate) fn read(bytes: &[u8], is_typed: bool) -> Result<Ask, Failure> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Ask::default());
    }
    let body: Body =
        serde_json::from_slice(bytes).map_err(|error| invalid(format!("the body is not as expected: {error}")))?;
    let parameters = body.parameters.unwrap_or_default().into_iter().map(|(name, value)| {
        let value = if is_typed { typed::typed(value) } else { typed::plain(value) };
        let named =
            |failure: Failure| Failure { message: format!("parameter '{name}': {}", failure.message), ..failure };
        Ok((Text::new(&name), value.map_err(named)?))
    });
    let is_read = match body.access_mode.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None | Some("write") => false,
        Some("read") => true,
        Some(other) => return Err(invalid(format!("'accessMode' is '{other}': it must be Read or Write"))),
    };
    Ok(Ask {
        parameters: parameters.collect::<Result<_, Failure>>()?,
        text: body.statement.map(Text::from),
        has_counters: body.include_counters.unwrap_or_default(),
        is_read,
        bookmarks: body.bookmarks.unwrap_or_default().into_iter().map(Text::from).collect(),
        impersonated: body.impersonated_user,
        timeout: body.max_execution_time.filter(|seconds| *seconds > 0).map(Duration::from_secs),
    })
}
