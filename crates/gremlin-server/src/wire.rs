//! Which codec a message is in, and messages of this crate to those of the codecs and back.

use compact_str::CompactString as Text;
use gremlin::Value;
use gremlin_codec::graphson::Version;
use gremlin_codec::{CodecError, Request, Response, graph_binary, graphson};

use crate::status::{self, Failure};

/// How a message is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    GraphBinary,
    /// GraphBinary whose results are texts for people to read: what TinkerPop's console asks for.
    Texts,
    GraphSon(Version),
}

impl Format {
    /// The format of a name. `plain` is what JSON without a version means.
    pub(crate) fn from_name(name: &str, plain: Version) -> Option<Self> {
        let mut parts = name.split(';').map(str::trim);
        let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
        let is_untyped = parts.any(|part| part.eq_ignore_ascii_case("types=false"));
        let version = match essence.as_str() {
            "application/vnd.graphbinary-v1.0" => return Some(Self::GraphBinary),
            "application/vnd.graphbinary-v1.0-stringd" => return Some(Self::Texts),
            "application/vnd.gremlin-v3.0+json" => Version::V3,
            "application/vnd.gremlin-v2.0+json" => Version::V2,
            "application/vnd.gremlin-v1.0+json" => Version::Untyped,
            "application/json" => plain,
            _ => return None,
        };
        Some(Self::GraphSon(if is_untyped { Version::Untyped } else { version }))
    }

    /// The name of the format in headers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::GraphBinary => "application/vnd.graphbinary-v1.0",
            Self::Texts => "application/vnd.graphbinary-v1.0-stringd",
            Self::GraphSon(Version::V2) => "application/vnd.gremlin-v2.0+json",
            Self::GraphSon(Version::V3) => "application/vnd.gremlin-v3.0+json",
            Self::GraphSon(Version::Untyped) => "application/json",
        }
    }

    /// The id of a request that cannot be read otherwise; none where that cannot be either.
    pub(crate) fn id_of(self, bytes: &[u8]) -> Option<u128> {
        match self {
            Self::GraphBinary | Self::Texts => {
                let id = bytes.get(1..17)?;
                Some(u128::from_be_bytes(id.try_into().ok()?))
            }
            Self::GraphSon(_) => {
                let json: serde_json::Value = serde_json::from_slice(bytes).ok()?;
                let id = json.get("requestId")?;
                let text = id.get("@value").unwrap_or(id).as_str()?;
                u128::from_str_radix(&text.replace('-', ""), 16).ok()
            }
        }
    }

    /// Reads a request.
    pub(crate) fn read(self, bytes: &[u8]) -> Result<Asked, Failure> {
        let read = match self {
            Self::GraphBinary | Self::Texts => graph_binary::read_request(bytes),
            Self::GraphSon(_) => graphson::read_request(bytes),
        };
        read.map(Asked::from).map_err(|error| unreadable(&error))
    }

    /// Writes an answer. One that cannot be written becomes the answer that says so.
    pub(crate) fn write(self, answer: &Response) -> Vec<u8> {
        self.try_write(answer).unwrap_or_else(|error| {
            let failed = failed(answer.id, &Failure::new(status::RESPONSE_UNWRITABLE, error.to_string()));
            self.try_write(&failed).unwrap_or_default()
        })
    }

    /// Writes an answer.
    pub(crate) fn try_write(self, answer: &Response) -> Result<Vec<u8>, CodecError> {
        match self {
            Self::GraphBinary => {
                let mut out = Vec::new();
                graph_binary::write_response(answer, &mut out)?;
                Ok(out)
            }
            Self::Texts => {
                let texts = answer.rows.iter().map(|(value, times)| (gremlin_codec::text(value).into(), *times));
                Self::GraphBinary.try_write(&Response { rows: texts.collect(), ..answer.clone() })
            }
            Self::GraphSon(version) => {
                let mut out = String::new();
                graphson::write_response(answer, version, &mut out);
                Ok(out.into_bytes())
            }
        }
    }
}

pub(crate) fn unreadable(error: &CodecError) -> Failure {
    Failure::new(status::REQUEST_UNREADABLE, format!("the request cannot be read: {error}"))
}

/// A request, read.
pub(crate) struct Asked {
    pub(crate) id: Option<u128>,
    pub(crate) op: Text,
    pub(crate) processor: Text,
    pub(crate) arguments: Vec<(Text, Value)>,
}

impl From<Request> for Asked {
    fn from(request: Request) -> Self {
        let Request { id, op, processor, arguments } = request;
        Self { id: Some(id), op, processor, arguments }
    }
}

impl Asked {
    /// Takes an argument out.
    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.arguments.iter().position(|(key, _)| key == name)?;
        Some(self.arguments.swap_remove(at).1)
    }

    /// Takes a text out; other values count as absent.
    pub(crate) fn take_text(&mut self, name: &str) -> Option<String> {
        self.take(name).as_ref().and_then(Value::as_text).map(str::to_owned)
    }
}

/// An answer with results. Traversers where `is_bulked`, else each result as often as it occurs.
pub(crate) fn results(id: Option<u128>, code: i32, rows: Vec<(query_value::Value, u64)>, is_bulked: bool) -> Response {
    Response { rows, is_bulked, ..empty(id, code) }
}

/// An answer without results.
pub(crate) fn empty(id: Option<u128>, code: i32) -> Response {
    Response { id, code, message: None, attributes: Vec::new(), rows: Vec::new(), is_bulked: false, has_dates: false }
}

/// The answer that a request failed.
pub(crate) fn failed(id: Option<u128>, failure: &Failure) -> Response {
    let class = query_value::Value::list([failure.class.into()]);
    let trace = format!("{}: {}", failure.class, failure.message);
    Response {
        message: Some(failure.message.as_str().into()),
        attributes: vec![("exceptions".into(), class), ("stackTrace".into(), trace.into())],
        ..empty(id, failure.code)
    }
}
