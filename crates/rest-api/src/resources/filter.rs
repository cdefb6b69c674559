//! The parameters `properties` and `keep_start_p` of lists: conditions on properties.

use graph_schema::{Catalogue, Conditions};
use graph_store::Graph;
use rest_json::decode_conditions;

use crate::call::Call;
use rest_errors::ApiError;

/// The conditions of a request; none where it gives none.
pub(crate) fn conditions(call: &Call, graph: &Graph, catalogue: &Catalogue) -> Result<Conditions, ApiError> {
    let query = call.query();
    let Some(text) = query.text("properties")? else { return Ok(Conditions::default()) };
    let given = decode_conditions(&text, query.flag("keep_start_p", false)?)?;
    let checked = catalogue.check_conditions(&given, &graph.options().zone);
    checked.map_err(|error| ApiError::of(error.kind(), format!("'properties': {error}")))
}
