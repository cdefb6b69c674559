//! Graphs: `{S}/graphs`, and `{G}` with its configuration and what is done to it as a whole.

use graph_host::{Clear, GraphConf};
use graph_store::Graph;
use hyper::StatusCode;
use serde_json::{Map, Value, json};

use crate::call::{Answered, Call};
use crate::names::DEFAULT_SPACE;
use http_server::Reply;
use rest_errors::ApiError;
use rest_query::graph_conf;

/// What a client must say to clear a graph, literally.
const CLEAR_WORDS: &str = "I'm sure to delete all data";
/// What a client must say to drop a graph, literally.
const DROP_WORDS: &str = "I'm sure to drop the graph";

/// Names that mean something else in the place of a graph's name.
const RESERVED: [&str; 2] = ["manage", "profile"];

/// Why the default graph is not changed by requests.
pub(crate) const DEFAULT_IS_SET: &str = "the default graph is the setting graph.default";

/// Whether a name stands for something else in the place of a graph's name.
pub(crate) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// Names of the graphs that who asks has any right on.
fn known(call: &Call) -> Vec<String> {
    let mut names = call.app.store.graph_names();
    names.retain(|name| call.caller.knows(name));
    names
}

/// Names of the graphs.
pub(crate) fn list(call: &Call) -> Answered {
    Ok(Reply::value(&json!({ "graphs": known(call) })))
}

/// All graphs whose names begin with `prefix`, with what there is to say about each.
pub(crate) fn profile(call: &Call) -> Answered {
    let prefix = call.query().text("prefix")?.unwrap_or_default();
    let store = &call.app.store;
    let mut all = Vec::new();
    for name in known(call).into_iter().filter(|name| name.starts_with(&*prefix)) {
        // One dropped meanwhile is not there.
        let Ok(conf) = store.graph_conf(&name) else { continue };
        all.push(json!({
            "name": name, "nickname": nickname(&conf, &name), "graphspace": DEFAULT_SPACE,
            "backend": backend(call, &conf), "description": conf.get("description").map_or("", String::as_str),
            "default": name == store.default_graph(),
        }));
    }
    Ok(Reply::value(&Value::Array(all)))
}

/// Name and engine of one.
pub(crate) fn get(call: &Call) -> Answered {
    let name = call.graph()?.name();
    let conf = call.app.store.graph_conf(name)?;
    Ok(Reply::value(&json!({ "name": name, "backend": backend(call, &conf) })))
}

/// What a graph is configured with, as lines of a Java properties file.
pub(crate) fn conf(call: &Call) -> Answered {
    let graph = call.graph()?;
    let mut conf = call.app.store.graph_conf(graph.name())?;
    for (key, value) in [("backend", call.app.store.engine().name()), ("serializer", "binary"), ("store", graph.name())]
    {
        conf.entry(key.to_owned()).or_insert_with(|| value.to_owned());
    }
    let encode = graph.options().encode_primary_key_number;
    conf.insert("vertex.encode_primary_key_number".to_owned(), encode.to_string());
    Ok(Reply::text(graph_conf::write(&conf)?))
}

/// Makes a graph, or with `clone_graph_name` one with the configuration of another.
pub(crate) fn create(call: &Call) -> Answered {
    let name = call.graph_name()?;
    if is_reserved(&name) {
        return Err(ApiError::bad_input(format!(
            "'{name}' cannot be the name of a graph: the address means something else"
        )));
    }
    let given = graph_conf::read(&call.body)?;
    let conf = match call.query().text("clone_graph_name")? {
        None => given,
        Some(source) => {
            let mut conf = call.app.store.graph_conf(&source)?;
            conf.retain(|key, _| key != "store" && key != "nickname");
            conf.extend(given);
            conf
        }
    };
    call.app.store.create_graph(&name, &conf)?;
    let body = json!({
        "name": name, "nickname": nickname(&conf, &name), "backend": backend(call, &conf),
        "description": conf.get("description").map_or("", String::as_str),
    });
    Ok(Reply::json(StatusCode::CREATED, body.to_string().into_bytes()))
}

/// Drops a graph.
pub(crate) fn remove(call: &Call) -> Answered {
    confirm(call, DROP_WORDS)?;
    call.app.store.drop_graph(call.graph()?.name())?;
    Ok(Reply::no_content())
}

/// Removes schema, elements and tasks.
pub(crate) fn clear(call: &Call) -> Answered {
    confirm(call, CLEAR_WORDS)?;
    call.app.store.clear_graph(call.graph()?.name(), Clear::Everything)?;
    Ok(Reply::no_content())
}

/// `{"action": ...}` of one graph: `update` (the nickname), `reload` (nothing has to be), `clear`.
pub(crate) fn alter(call: &Call) -> Answered {
    let graph = call.graph()?;
    let body = object(call)?;
    let done = match action(&body)? {
        "update" => {
            update(call, graph, &body)?;
            "updated"
        }
        "reload" => "reloaded",
        "clear" => {
            let everything = body.get("clear_schema").and_then(Value::as_bool).unwrap_or_default();
            let clear = if everything { Clear::Everything } else { Clear::Data };
            call.app.store.clear_graph(graph.name(), clear)?;
            "cleared"
        }
        other => {
            return Err(ApiError::bad_input(format!("'action' must be update, reload or clear, but got '{other}'")));
        }
    };
    Ok(Reply::value(&json!({ graph.name(): done })))
}

fn update(call: &Call, graph: &Graph, body: &Map<String, Value>) -> Result<(), ApiError> {
    let missing = || ApiError::bad_input("'update' must be an object with 'name' and 'nickname'");
    let update = body.get("update").and_then(Value::as_object).ok_or_else(missing)?;
    if update.get("name").is_some_and(|name| !name.is_null() && name.as_str() != Some(graph.name())) {
        let name = graph.name();
        return Err(ApiError::bad_input(format!("'name' in 'update' must be '{name}': a graph keeps its name")));
    }
    let nickname = update.get("nickname").and_then(Value::as_str).ok_or_else(missing)?;
    graph_conf::check_nickname(nickname)?;
    let mut conf = call.app.store.graph_conf(graph.name())?;
    conf.insert("nickname".to_owned(), nickname.to_owned());
    Ok(call.app.store.set_graph_conf(graph.name(), &conf)?)
}

/// `{"action": "reload"}` of all graphs: they are always as stored, so there is nothing to do.
pub(crate) fn manage(call: &Call) -> Answered {
    match action(&object(call)?)? {
        "reload" => Ok(Reply::value(&json!({ "graphs": "reloaded" }))),
        other => Err(ApiError::bad_input(format!("'action' must be reload, but got '{other}'"))),
    }
}

/// Makes the snapshot of a graph.
pub(crate) fn create_snapshot(call: &Call) -> Answered {
    let name = call.graph()?.name();
    call.app.store.create_snapshot(name, &call.budget)?;
    Ok(Reply::value(&json!({ name: "snapshot_created" })))
}

/// Puts the snapshot of a graph in its place.
pub(crate) fn resume_snapshot(call: &Call) -> Answered {
    let name = call.graph()?.name();
    call.app.store.resume_snapshot(name, &call.budget)?;
    Ok(Reply::value(&json!({ name: "snapshot_resumed" })))
}

/// Gives back the room of what was deleted.
pub(crate) fn compact(call: &Call) -> Answered {
    call.app.store.compact_graph(call.graph()?.name(), &call.budget)?;
    Ok(Reply::value(&json!({ "nodes": 1, "cluster_id": "local", "servers": { "local": "OK" } })))
}

fn confirm(call: &Call, words: &str) -> Result<(), ApiError> {
    if call.query().one("confirm_message")?.as_deref() == Some(words) {
        return Ok(());
    }
    Err(ApiError::bad_input(format!("Please take the message: {words} (as parameter confirm_message)")))
}

fn object(call: &Call) -> Result<Map<String, Value>, ApiError> {
    serde_json::from_slice(&call.body)
        .map_err(|error| ApiError::bad_input(format!("the body must be a JSON object with 'action': {error}")))
}

fn action(body: &Map<String, Value>) -> Result<&str, ApiError> {
    let action = body.get("action").and_then(Value::as_str);
    action.ok_or_else(|| ApiError::bad_input("the body must say what to do, as a text in 'action'"))
}

fn nickname<'a>(conf: &'a GraphConf, name: &'a str) -> &'a str {
    conf.get("nickname").map_or(name, String::as_str)
}

/// The engine a graph was asked to have; that of the server where nothing was said.
fn backend<'a>(call: &'a Call, conf: &'a GraphConf) -> &'a str {
    conf.get("backend").map_or_else(|| call.app.store.engine().name(), String::as_str)
}
