//! Requests of drivers: operations and their arguments.

use std::collections::BTreeMap;
use std::time::Duration;

use auth::Caller;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use compact_str::CompactString as Text;
use gremlin::Value;
use query_service::{Program, QueryRequest};

use crate::limits::{BATCH_SIZE, BATCH_SIZE_MAX};
use crate::status::{self, Failure};
use crate::wire::Asked;

/// What a request asks for.
pub(crate) enum Operation {
    /// A query.
    Query(Box<Query>),
    /// The end of a session.
    Close(String),
    /// A login, with what SASL PLAIN sends: a name to act for, a user and a password, with a zero byte before each
    /// of the latter.
    Login(Vec<u8>),
}

/// A query with what it says about its answer.
pub(crate) struct Query {
    pub(crate) request: QueryRequest,
    pub(crate) session: Option<Session>,
    /// Whether results are traversers with their bulk.
    pub(crate) is_bulked: bool,
    pub(crate) batch_size: usize,
    /// What the client says of the trace that the query belongs to: `traceparent` and `tracestate`.
    pub(crate) trace: [Option<String>; 2],
}

/// Makes a query one of a caller's.
pub(crate) fn act_for(request: &mut QueryRequest, caller: Caller) {
    if let Some(user) = caller.user() {
        request.user = user.to_owned();
    }
    request.caller = caller;
}

/// The session of a request.
pub(crate) struct Session {
    pub(crate) id: String,
    /// Whether each request commits.
    pub(crate) is_managed: bool,
}

/// Reads a request's operation.
pub(crate) fn operation(asked: &mut Asked, timeout: Duration) -> Result<Operation, Failure> {
    match asked.processor.as_str() {
        "" | "traversal" | "session" => {}
        other => {
            let message = format!("there is no processor '{other}', only '', 'traversal' and 'session'");
            return Err(Failure::new(status::REQUEST_ARGUMENTS, message));
        }
    }
    let session = session(asked)?;
    match asked.op.as_str() {
        "authentication" => return Ok(Operation::Login(sasl(asked)?)),
        "close" => {
            let missing = || argument("session", "a session's id");
            return Ok(Operation::Close(session.ok_or_else(missing)?.id));
        }
        "eval" | "bytecode" => {}
        other => {
            let message = format!("there is no operation '{other}', only eval, bytecode, authentication and close");
            return Err(Failure::new(status::REQUEST_MALFORMED, message));
        }
    }
    let is_bytecode = asked.op == "bytecode";
    let program = match (asked.take("gremlin"), is_bytecode) {
        (Some(Value::Text(text)), false) => Program::Text(text.into()),
        (Some(Value::Bytecode(bytecode)), _) => Program::Bytecode(bytecode),
        _ => return Err(argument("gremlin", if is_bytecode { "bytecode" } else { "a text" })),
    };
    let trace = ["traceparent", "tracestate"].map(|name| asked.take_text(name));
    let request = QueryRequest {
        program,
        bindings: bindings(asked)?,
        aliases: aliases(asked)?,
        graph: None,
        user: asked.take_text("userAgent").unwrap_or_else(|| "anonymous".to_owned()),
        timeout: asked_timeout(asked)?.unwrap_or(timeout),
        caller: Caller::nobody(),
        materialize: asked.take_text("materializeProperties").is_none_or(|how| how != "tokens"),
    };
    let batch_size = asked.take("batchSize").as_ref().and_then(Value::as_i64);
    let batch_size = batch_size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size > 0);
    Ok(Operation::Query(Box::new(Query {
        request,
        session,
        is_bulked: is_bytecode,
        batch_size: batch_size.unwrap_or(BATCH_SIZE).min(BATCH_SIZE_MAX),
        trace,
    })))
}

/// The answer to the demand for a login, in Base64.
fn sasl(asked: &mut Asked) -> Result<Vec<u8>, Failure> {
    match asked.take("sasl") {
        Some(Value::Text(text)) => STANDARD.decode(text.as_bytes()).map_err(|_| argument("sasl", "Base64")),
        _ => Ok(Vec::new()),
    }
}

fn argument(name: &str, expected: &str) -> Failure {
    Failure::new(status::REQUEST_ARGUMENTS, format!("the argument '{name}' must be {expected}"))
}

fn session(asked: &mut Asked) -> Result<Option<Session>, Failure> {
    let id = match asked.take("session") {
        None | Some(Value::Null) => None,
        Some(Value::Text(id)) => Some(id.to_string()),
        Some(Value::Uuid(bits)) => Some(format!("{bits:032x}")),
        Some(_) => return Err(argument("session", "a UUID or a text")),
    };
    let is_managed = matches!(asked.take("manageTransaction"), Some(Value::Boolean(true)));
    match id {
        Some(id) => Ok(Some(Session { id, is_managed })),
        None if asked.processor == "session" && asked.op != "authentication" => Err(argument("session", "given")),
        None => Ok(None),
    }
}

fn asked_timeout(asked: &mut Asked) -> Result<Option<Duration>, Failure> {
    // What it was called before 3.4.
    let value = match asked.take("evaluationTimeout") {
        None => asked.take("scriptEvaluationTimeout"),
        found => found,
    };
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_i64().map(u64::try_from) {
            // 0 is how drivers say that they want no limit of their own.
            Some(Ok(0)) => Ok(None),
            Some(Ok(milliseconds)) => Ok(Some(Duration::from_millis(milliseconds))),
            _ => Err(argument("evaluationTimeout", "a number of milliseconds")),
        },
    }
}

fn bindings(asked: &mut Asked) -> Result<BTreeMap<Text, Value>, Failure> {
    let pairs = match asked.take("bindings") {
        None | Some(Value::Null) => return Ok(BTreeMap::new()),
        Some(Value::Map(pairs)) => pairs,
        Some(_) => return Err(argument("bindings", "a map")),
    };
    let named = pairs.into_iter().map(|(key, value)| match key {
        Value::Text(key) => Ok((key, value)),
        _ => Err(argument("bindings", "a map whose keys are names")),
    });
    named.collect()
}

fn aliases(asked: &mut Asked) -> Result<Vec<(Text, Text)>, Failure> {
    let pairs = match asked.take("aliases") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Map(pairs)) => pairs,
        Some(_) => return Err(argument("aliases", "a map of names")),
    };
    let named = pairs.into_iter().map(|pair| match pair {
        (Value::Text(alias), Value::Text(name)) => Ok((alias, name)),
        _ => Err(argument("aliases", "a map of names")),
    });
    named.collect()
}
