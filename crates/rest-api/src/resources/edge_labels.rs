//! `{G}/schema/edgelabels`.

use graph_schema::{EdgeLabel, SchemaKind};
use hyper::StatusCode;
use rest_json::{decode_new_edge_label, decode_update_edge_label, write_edge_label, write_edge_labels, write_task_id};

use crate::call::{Answered, Call};
use crate::resources::schema::{alter_of, check_name, listed, missing, schema_rights};
use http_server::Reply;

/// Creates one.
pub(crate) fn create(call: &Call) -> Answered {
    let (label, catalogue) = call.graph()?.schema().create_edge_label(&decode_new_edge_label(&call.body)?)?;
    let mut out = Vec::new();
    write_edge_label(&mut out, &label, &catalogue, call.dialect);
    Ok(Reply::json(StatusCode::CREATED, out))
}

/// Adds to one, or takes user data away.
pub(crate) fn alter(call: &Call) -> Answered {
    let alter = alter_of(call)?;
    let update = decode_update_edge_label(&call.body)?;
    check_name(call, &update.name)?;
    let (label, catalogue) = call.graph()?.schema().alter_edge_label(alter, &update)?;
    let mut out = Vec::new();
    write_edge_label(&mut out, &label, &catalogue, call.dialect);
    Ok(Reply::ok(out))
}

/// All, or those named.
pub(crate) fn list(call: &Call) -> Answered {
    let catalogue = call.graph()?.catalogue();
    let all = catalogue.edge_labels().map(|label| &**label);
    let named = |name: &str| catalogue.edge_label_named(name).map(|label| &**label);
    let labels = listed(
        call,
        &catalogue,
        SchemaKind::EdgeLabel,
        all,
        named,
        |label: &EdgeLabel| &label.name,
        |rights, it| rights.sees_edges(it),
    )?;
    let mut out = Vec::new();
    write_edge_labels(&mut out, labels, &catalogue, call.dialect);
    Ok(Reply::ok(out))
}

/// The one with a name.
pub(crate) fn get(call: &Call) -> Answered {
    let catalogue = call.graph()?.catalogue();
    let name = call.param()?;
    let rights = schema_rights(call, &catalogue)?;
    let label = catalogue
        .edge_label_named(&name)
        .filter(|it| rights.sees_edges(it))
        .ok_or_else(|| missing(&catalogue, SchemaKind::EdgeLabel, &name))?;
    let mut out = Vec::new();
    write_edge_label(&mut out, label, &catalogue, call.dialect);
    Ok(Reply::ok(out))
}

/// Starts the task that deletes one with everything that has it.
pub(crate) fn delete(call: &Call) -> Answered {
    let task = call.graph()?.jobs().remove_edge_label(&call.param()?)?;
    let mut out = Vec::new();
    write_task_id(&mut out, task);
    Ok(Reply::json(StatusCode::ACCEPTED, out))
}
