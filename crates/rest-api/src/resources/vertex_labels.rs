//! `{G}/schema/vertexlabels`.

use graph_schema::{SchemaKind, VertexLabel};
use hyper::StatusCode;
use rest_json::{
    decode_new_vertex_label, decode_update_vertex_label, write_task_id, write_vertex_label, write_vertex_labels,
};

use crate::call::{Answered, Call};
use crate::resources::schema::{alter_of, check_name, listed, missing, schema_rights};
use http_server::Reply;

/// Creates one.
pub(crate) fn create(call: &Call) -> Answered {
    let (label, catalogue) = call.graph()?.schema().create_vertex_label(&decode_new_vertex_label(&call.body)?)?;
    let mut out = Vec::new();
    write_vertex_label(&mut out, &label, &catalogue);
    Ok(Reply::json(StatusCode::CREATED, out))
}

/// Adds to one, or takes user data away.
pub(crate) fn alter(call: &Call) -> Answered {
    let alter = alter_of(call)?;
    let update = decode_update_vertex_label(&call.body)?;
    check_name(call, &update.name)?;
    let (label, catalogue) = call.graph()?.schema().alter_vertex_label(alter, &update)?;
    let mut out = Vec::new();
    write_vertex_label(&mut out, &label, &catalogue);
    Ok(Reply::ok(out))
}

/// All, or those named.
pub(crate) fn list(call: &Call) -> Answered {
    let catalogue = call.graph()?.catalogue();
    let all = catalogue.vertex_labels().map(|label| &**label);
    let named = |name: &str| catalogue.vertex_label_named(name).map(|label| &**label);
    let labels = listed(
        call,
        &catalogue,
        SchemaKind::VertexLabel,
        all,
        named,
        |label: &VertexLabel| &label.name,
        |rights, it| rights.sees_vertices(it),
    )?;
    let mut out = Vec::new();
    write_vertex_labels(&mut out, labels, &catalogue);
    Ok(Reply::ok(out))
}

/// The one with a name.
pub(crate) fn get(call: &Call) -> Answered {
    let catalogue = call.graph()?.catalogue();
    let name = call.param()?;
    let rights = schema_rights(call, &catalogue)?;
    let label = catalogue
        .vertex_label_named(&name)
        .filter(|it| rights.sees_vertices(it))
        .ok_or_else(|| missing(&catalogue, SchemaKind::VertexLabel, &name))?;
    let mut out = Vec::new();
    write_vertex_label(&mut out, label, &catalogue);
    Ok(Reply::ok(out))
}

/// Starts the task that deletes one with everything that has it.
pub(crate) fn delete(call: &Call) -> Answered {
    let task = call.graph()?.jobs().remove_vertex_label(&call.param()?)?;
    let mut out = Vec::new();
    write_task_id(&mut out, task);
    Ok(Reply::json(StatusCode::ACCEPTED, out))
}
