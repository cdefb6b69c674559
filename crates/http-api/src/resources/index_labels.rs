//! `{G}/schema/indexlabels`. This version has no property indexes: there are none to list or to get, and creating one is refused.

use graph_json::{decode_new_index_label, write_index_label, write_index_labels};
use graph_model::Meaning;
use graph_schema::{IndexLabel, SchemaKind};

use crate::call::Call;
use crate::errors::ApiError;
use crate::reply::Reply;
use crate::resources::schema::{listed, missing};
use crate::routes::Answered;

/// Refuses to create one.
pub(crate) fn create(call: &Call) -> Answered {
    let name = decode_new_index_label(&call.body)?.name;
    let message = format!("the index label '{name}' cannot be created: this version has no property indexes yet");
    Err(ApiError::of(Meaning::NotSupported, message))
}

/// All, or those named.
pub(crate) fn list(call: &Call) -> Answered {
    let catalogue = call.graph()?.catalogue();
    let all = catalogue.index_labels().map(|label| &**label);
    let named = |name: &str| catalogue.index_label_named(name).map(|label| &**label);
    let labels = listed(call, &catalogue, SchemaKind::IndexLabel, all, named, |label: &IndexLabel| &label.name)?;
    let mut out = Vec::new();
    write_index_labels(&mut out, labels, &catalogue);
    Ok(Reply::ok(out))
}

/// The one with a name.
pub(crate) fn get(call: &Call) -> Answered {
    let catalogue = call.graph()?.catalogue();
    let name = call.param()?;
    let label = catalogue.index_label_named(&name).ok_or_else(|| missing(&catalogue, SchemaKind::IndexLabel, &name))?;
    let mut out = Vec::new();
    write_index_label(&mut out, label, &catalogue);
    Ok(Reply::ok(out))
}

/// Changing or deleting one: there is none.
pub(crate) fn none(call: &Call) -> Answered {
    Err(missing(&call.graph()?.catalogue(), SchemaKind::IndexLabel, &call.param()?))
}
