//! `{G}/schema/indexlabels`.

use graph_schema::{IndexLabel, SchemaKind};
use hyper::StatusCode;
use rest_json::{
    decode_new_index_label, decode_update_index_label, write_index_label, write_index_label_with_task,
    write_index_labels, write_task_id,
};

use crate::call::{Answered, Call};
use crate::resources::schema::{alter_of, check_name, listed, missing, schema_rights};
use http_server::Reply;

/// Creates one and starts the task that builds it.
pub(crate) fn create(call: &Call) -> Answered {
    let (label, catalogue, task) = call.graph()?.jobs().create_index_label(&decode_new_index_label(&call.body)?)?;
    let mut out = Vec::new();
    write_index_label_with_task(&mut out, &label, &catalogue, task);
    Ok(Reply::json(StatusCode::ACCEPTED, out))
}

/// Adds user data to one, or takes some away.
pub(crate) fn alter(call: &Call) -> Answered {
    let alter = alter_of(call)?;
    let update = decode_update_index_label(&call.body)?;
    check_name(call, &update.name)?;
    let (label, catalogue) = call.graph()?.schema().alter_index_label(alter, &update)?;
    let mut out = Vec::new();
    write_index_label(&mut out, &label, &catalogue);
    Ok(Reply::ok(out))
}

/// All, or those named.
pub(crate) fn list(call: &Call) -> Answered {
    let catalogue = call.graph()?.catalogue();
    let all = catalogue.index_labels().map(|label| &**label);
    let named = |name: &str| catalogue.index_label_named(name).map(|label| &**label);
    let labels = listed(
        call,
        &catalogue,
        SchemaKind::IndexLabel,
        all,
        named,
        |label: &IndexLabel| &label.name,
        |rights, it| rights.sees_index(it),
    )?;
    let mut out = Vec::new();
    write_index_labels(&mut out, labels, &catalogue);
    Ok(Reply::ok(out))
}

/// The one with a name.
pub(crate) fn get(call: &Call) -> Answered {
    let catalogue = call.graph()?.catalogue();
    let name = call.param()?;
    let rights = schema_rights(call, &catalogue)?;
    let label = catalogue
        .index_label_named(&name)
        .filter(|it| rights.sees_index(it))
        .ok_or_else(|| missing(&catalogue, SchemaKind::IndexLabel, &name))?;
    let mut out = Vec::new();
    write_index_label(&mut out, label, &catalogue);
    Ok(Reply::ok(out))
}

/// Starts the task that deletes one with its entries.
pub(crate) fn delete(call: &Call) -> Answered {
    accepted(call.graph()?.jobs().remove_index_label(&call.param()?)?)
}

/// `{G}/jobs/rebuild/vertexlabels/{name}`: starts the task that builds the label index and all index labels of a vertex
/// label again. The body that clients send says nothing.
pub(crate) fn rebuild_vertex_label(call: &Call) -> Answered {
    accepted(call.graph()?.jobs().rebuild_indexes(SchemaKind::VertexLabel, &call.param()?)?)
}

/// `{G}/jobs/rebuild/edgelabels/{name}`: the same for an edge label.
pub(crate) fn rebuild_edge_label(call: &Call) -> Answered {
    accepted(call.graph()?.jobs().rebuild_indexes(SchemaKind::EdgeLabel, &call.param()?)?)
}

/// `{G}/jobs/rebuild/indexlabels/{name}`: the same for one index label.
pub(crate) fn rebuild(call: &Call) -> Answered {
    accepted(call.graph()?.jobs().rebuild_indexes(SchemaKind::IndexLabel, &call.param()?)?)
}

fn accepted(task: u64) -> Answered {
    let mut out = Vec::new();
    write_task_id(&mut out, task);
    Ok(Reply::json(StatusCode::ACCEPTED, out))
}
