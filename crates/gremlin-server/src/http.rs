//! Gremlin over HTTP as TinkerPop's server speaks it: `POST /gremlin` with a JSON or GraphBinary body, and
//! `GET /gremlin?gremlin=`.

use std::sync::Arc;

use auth::AuthError;
use compact_str::CompactString as Text;
use gremlin_codec::graphson::{self, Version};
use http_server::{BodyError, Query as Parameters, Reply, accepts_gzip, peer, read_body, request_id};
use hyper::body::Incoming;
use hyper::header::{self, HeaderMap};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode};
use query_service::{Collect, Gone, Sink};
use query_value::Value;
use serde_json::{Map, Value as Json, json};
use serving::Admitted;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::ask::{self, Operation, act_for};
use crate::login;
use crate::shared::Shared;
use crate::status::{self, Failure};
use crate::wire::{self, Asked, Format};
use crate::work;

/// JSON without a version is the typed form of version 3, as TinkerPop's server has it.
const PLAIN: Version = Version::V3;

/// An answer that something is wrong, in TinkerPop's form.
pub(crate) fn failure(status: StatusCode, message: &str) -> Reply {
    Reply::json(status, json!({ "message": message }).to_string().into_bytes())
}

/// Answers one request.
pub(crate) async fn answer(shared: &Arc<Shared>, head: &Parts, body: &mut Incoming) -> Reply {
    let format = accepted(&head.headers);
    match respond(shared, head, body, format).await {
        Ok(body) => {
            let name = match format {
                Format::GraphSon(_) => format!("{};charset=UTF-8", format.name()),
                Format::GraphBinary | Format::Texts => format.name().to_owned(),
            };
            Reply::file(&name, body).gzip_if(accepts_gzip(&head.headers))
        }
        Err(failed) => refused(&failed),
    }
}

/// The answer to a request that failed.
pub(crate) fn refused(failed: &Failure) -> Reply {
    let status = StatusCode::from_u16(failed.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = json!({
        "message": failed.message,
        "Exception-Class": failed.class,
        "exceptions": [failed.class],
        "stackTrace": format!("{}: {}", failed.class, failed.message),
    });
    let mut reply = Reply::json(status, body.to_string().into_bytes());
    reply.authenticate = status == StatusCode::UNAUTHORIZED;
    reply.retry_after_s = u64::from(matches!(failed.code, status::TEMPORARY | status::TOO_MANY_REQUESTS));
    reply
}

/// The format in which the client wants its answer.
fn accepted(headers: &HeaderMap) -> Format {
    let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let known = values.flat_map(|value| value.split(',')).find_map(|name| Format::from_name(name.trim(), PLAIN));
    known.unwrap_or(Format::GraphSon(PLAIN))
}

async fn respond(shared: &Arc<Shared>, head: &Parts, body: &mut Incoming, format: Format) -> Result<Vec<u8>, Failure> {
    let caller = login::of_headers(shared, &head.headers, &head.extensions).await?.ok_or(AuthError::Required)?;
    let serving = &shared.serving;
    let mut admitted = serving.admission.enter().map_err(|_| {
        serving.metrics.refused_requests.inc();
        let max = serving.options.requests_in_flight_max;
        let message = format!("the server works on {max} requests already (server.requests_in_flight_max)");
        Failure::new(status::TOO_MANY_REQUESTS, message)
    })?;
    let mut asked = if head.method == Method::GET {
        Asked { arguments: of_query(head.uri.query().unwrap_or_default())?, ..asked_nothing() }
    } else {
        read(shared, head, body, &mut admitted).await?
    };
    let id = asked.id;
    let Operation::Query(query) = ask::operation(&mut asked, shared.options.timeout)? else {
        return Err(Failure::new(status::REQUEST_MALFORMED, "only eval is possible over HTTP"));
    };
    let ask::Query { mut request, session, is_bulked, .. } = *query;
    act_for(&mut request, caller);
    if session.is_some() {
        return Err(Failure::new(status::REQUEST_ARGUMENTS, "sessions are possible over a WebSocket only"));
    }
    let own_id = request_id(&head.headers).map(str::to_owned);
    let ready = work::prepare(shared, request, peer(&head.extensions), own_id).await?;
    let (done, rows) = oneshot::channel();
    let bytes_max = shared.options.response_bytes_max;
    let sink = Whole { all: Collect::new(bytes_max), done: Some(done) };
    let outcome = work::run(shared, ready, None, Box::new(sink), usize::MAX).await;
    let whole = rows.await.unwrap_or_default();
    if whole.is_too_large {
        return Err(too_large(bytes_max));
    }
    outcome?;
    let answer = format
        .try_write(&wire::results(id, status::SUCCESS, whole.rows, is_bulked))
        .map_err(|error| Failure::new(status::RESPONSE_UNWRITABLE, error.to_string()))?;
    if answer.len() > bytes_max { Err(too_large(bytes_max)) } else { Ok(answer) }
}

fn too_large(max: usize) -> Failure {
    let message = format!(
        "the answer has more than {max} bytes (graph.response_bytes_max); limit() the results, or ask over a \
         WebSocket, which sends them in parts"
    );
    Failure::new(status::RESPONSE_UNWRITABLE, message)
}

fn asked_nothing() -> Asked {
    Asked { id: None, op: "eval".into(), processor: "".into(), arguments: Vec::new() }
}

async fn read(
    shared: &Arc<Shared>,
    head: &Parts,
    body: &mut Incoming,
    admitted: &mut Admitted,
) -> Result<Asked, Failure> {
    let bytes_max = shared.options.request_bytes_max;
    let wrong = |error: BodyError| match error {
        BodyError::TooLarge => {
            let message = format!("a request may have {bytes_max} bytes (server.request_body_bytes_max)");
            Failure::new(status::REQUEST_UNREADABLE, message)
        }
        BodyError::NoRoom => {
            shared.serving.metrics.refused_bytes.inc();
            let message = "the server holds too many bytes of requests already (server.bytes_in_flight_max)";
            Failure::new(status::TOO_MANY_REQUESTS, message)
        }
        BodyError::Gzip(reason) | BodyError::Coding(reason) | BodyError::Broken(reason) => {
            Failure::new(status::REQUEST_UNREADABLE, format!("the body cannot be read: {reason}"))
        }
    };
    let reading = timeout(shared.options.timeout, read_body(body, &head.headers, admitted, bytes_max)).await;
    let bytes = reading.unwrap_or_else(|_| Err(BodyError::Broken("it came too slowly".to_owned()))).map_err(wrong)?;
    shared.serving.metrics.bytes_received.inc_by(bytes.len() as u64);
    let kind = head.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if let Some(format @ (Format::GraphBinary | Format::Texts)) = Format::from_name(kind, PLAIN) {
        return format.read(&bytes);
    }
    Ok(Asked { arguments: of_json(&bytes)?, ..asked_nothing() })
}

/// The arguments in a JSON body; `evaluationTimeout` and the like may be there as they are over a WebSocket.
fn of_json(bytes: &[u8]) -> Result<Vec<(Text, gremlin::Value)>, Failure> {
    let gremlin::Value::Map(pairs) = graphson::read(bytes).map_err(|error| wire::unreadable(&error))? else {
        return Err(Failure::new(
            status::REQUEST_UNREADABLE,
            "the body must be a JSON object with the field 'gremlin'",
        ));
    };
    Ok(pairs.into_iter().filter_map(|(key, value)| Some((key.as_text()?.into(), value))).collect())
}

/// The arguments in an address: `gremlin`, `language`, `bindings.NAME` and `aliases.NAME`.
fn of_query(query: &str) -> Result<Vec<(Text, gremlin::Value)>, Failure> {
    let parameters = Parameters::new(query);
    let mut fields = Map::new();
    for name in query.split('&').filter_map(|pair| pair.split('=').next()).filter(|name| !name.is_empty()) {
        let Some(Ok(value)) = parameters.all(name).next() else { continue };
        match name.split_once('.') {
            Some((group @ ("bindings" | "aliases"), key)) => {
                let group = fields.entry(group).or_insert_with(|| Json::Object(Map::new()));
                if let Json::Object(group) = group {
                    group.insert(key.to_owned(), Json::String(value.into_owned()));
                }
            }
            _ => drop(fields.insert(name.to_owned(), Json::String(value.into_owned()))),
        }
    }
    of_json(Json::Object(fields).to_string().as_bytes())
}

/// All results of a query.
#[derive(Default)]
struct Collected {
    rows: Vec<(Value, u64)>,
    is_too_large: bool,
}

/// Keeps the results, and hands them on at the end.
struct Whole {
    all: Collect,
    done: Option<oneshot::Sender<Collected>>,
}

impl Sink for Whole {
    fn take(&mut self, rows: Vec<(Value, u64)>) -> Result<u64, Gone> {
        self.all.take(rows)
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        if let Some(done) = self.done.take() {
            // Fails where nobody waits any more.
            drop(done.send(Collected { is_too_large: self.all.is_too_large(), rows: self.all.take_rows() }));
        }
    }
}
