//! `{G}/schema`, and what the four kinds of schema elements have in common.

use graph_schema::{Alter, Catalogue, SchemaError, SchemaKind};
use graph_view::SchemaRights;
use rest_json::{write_edge_labels, write_index_labels, write_property_keys, write_schema, write_vertex_labels};

use crate::call::{Answered, Call};
use http_server::Reply;
use rest_errors::ApiError;

/// Writes an object with one list.
type WriteList<'w> = dyn Fn(&mut Vec<u8>) + 'w;

/// The whole schema.
pub(crate) fn show(call: &Call) -> Answered {
    let catalogue = call.graph()?.catalogue();
    let mut out = Vec::with_capacity(4 * 1024);
    let rights = schema_rights(call, &catalogue)?;
    if rights.is_whole() {
        write_schema(&mut out, &catalogue, call.dialect);
        return Ok(Reply::ok(out));
    }
    write_property_keys(&mut out, catalogue.property_keys().map(|key| &**key).filter(|key| rights.sees_key(key)));
    let lists: [&WriteList<'_>; 3] = [
        &|out| {
            let seen = catalogue.vertex_labels().map(|label| &**label).filter(|label| rights.sees_vertices(label));
            write_vertex_labels(out, seen, &catalogue);
        },
        &|out| {
            let seen = catalogue.edge_labels().map(|label| &**label).filter(|label| rights.sees_edges(label));
            write_edge_labels(out, seen, &catalogue, call.dialect);
        },
        &|out| {
            let seen = catalogue.index_labels().map(|label| &**label).filter(|label| rights.sees_index(label));
            write_index_labels(out, seen, &catalogue);
        },
    ];
    for write in lists {
        // Each is an object with one list; together they are one with four.
        let mut list = Vec::new();
        write(&mut list);
        out.pop();
        out.push(b',');
        out.extend_from_slice(list.get(1..).unwrap_or_default());
    }
    Ok(Reply::ok(out))
}

/// What of the schema who asks may see.
pub(crate) fn schema_rights<'c>(call: &'c Call, catalogue: &'c Catalogue) -> Result<SchemaRights<'c>, ApiError> {
    Ok(SchemaRights::new(&call.caller, call.graph()?, catalogue))
}

/// The parameter `action` of a change.
pub(crate) fn alter_of(call: &Call) -> Result<Alter, ApiError> {
    match call.query().text("action")?.as_deref() {
        Some("append") => Ok(Alter::Append),
        Some("eliminate") => Ok(Alter::Eliminate),
        Some(other) => Err(ApiError::bad_input(format!("'action' must be append or eliminate, but got '{other}'"))),
        None => Err(ApiError::bad_input("'action' is missing: it must be append or eliminate")),
    }
}

/// The name in the body of a change must be that of the address.
pub(crate) fn check_name(call: &Call, name: &str) -> Result<(), ApiError> {
    let address = call.param()?;
    if address == name {
        return Ok(());
    }
    Err(ApiError::bad_input(format!("the body's 'name' must be that of the address, '{address}', but is '{name}'")))
}

/// That no element of a kind has this name.
pub(crate) fn missing(catalogue: &Catalogue, kind: SchemaKind, name: &str) -> ApiError {
    let hint = catalogue.suggestion(kind, name);
    SchemaError::NotFound { kind: kind.name(), name: name.to_owned(), hint }.into()
}

/// The elements of a kind that a list asks for with `?names=`, or all whose names are not hidden (with a `~` in front).
pub(crate) fn listed<'c, T: 'c>(
    call: &Call,
    catalogue: &'c Catalogue,
    kind: SchemaKind,
    all: impl Iterator<Item = &'c T>,
    named: impl Fn(&str) -> Option<&'c T>,
    name_of: impl Fn(&T) -> &str,
    sees: impl Fn(&SchemaRights<'_>, &T) -> bool,
) -> Result<Vec<&'c T>, ApiError> {
    let rights = schema_rights(call, catalogue)?;
    let names = call.query().all("names").collect::<Result<Vec<_>, _>>()?;
    if names.is_empty() {
        return Ok(all.filter(|element| !name_of(element).starts_with('~') && sees(&rights, element)).collect());
    }
    let seen = |name: &str| named(name).filter(|element| sees(&rights, element));
    names.iter().map(|name| seen(name).ok_or_else(|| missing(catalogue, kind, name))).collect()
}
