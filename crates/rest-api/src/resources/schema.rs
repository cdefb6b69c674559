//! `{G}/schema`, and what the four kinds of schema elements have in common.

use graph_schema::Alter;
use graph_schema::{Catalogue, SchemaError, SchemaKind};
use rest_json::write_schema;

use crate::call::{Answered, Call};
use crate::errors::ApiError;
use http_server::Reply;

/// The whole schema.
pub(crate) fn show(call: &Call) -> Answered {
    let mut out = Vec::with_capacity(4 * 1024);
    write_schema(&mut out, &call.graph()?.catalogue(), call.dialect);
    Ok(Reply::ok(out))
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
) -> Result<Vec<&'c T>, ApiError> {
    let names = call.query().all("names").collect::<Result<Vec<_>, _>>()?;
    if names.is_empty() {
        return Ok(all.filter(|element| !name_of(element).starts_with('~')).collect());
    }
    names.iter().map(|name| named(name).ok_or_else(|| missing(catalogue, kind, name))).collect()
}
