//! Parameters of traversers: the same names, defaults and bounds in addresses and bodies.

use graph_model::VertexId;
use rest_json::{IdBody, IntBody, RealBody};
use traversal::SearchLimits;

use crate::call::Call;
use rest_errors::ApiError;
use rest_query::bounds;
pub(crate) use rest_query::bounds::{check_skip_degree, direction, positive};

/// Edges looked at of one vertex.
pub(super) const MAX_DEGREE_DEFAULT: i64 = 10_000;
/// Vertices visited.
pub(super) const CAPACITY_DEFAULT: i64 = 10_000_000;
/// Elements in an answer.
pub(super) const LIMIT_DEFAULT: i64 = 10_000_000;
/// Paths in an answer.
pub(super) const PATH_LIMIT_DEFAULT: i64 = 10;

/// As [`bounds::limited`], within the graph's own limits.
pub(super) fn limited(call: &Call, name: &str, given: Option<i64>, default: i64) -> Result<i64, ApiError> {
    bounds::limited(&call.work_bounds(), name, given, default)
}

/// As [`bounds::bound`].
pub(super) fn bound(call: &Call, name: &str, given: Option<i64>, default: i64) -> Result<Option<u64>, ApiError> {
    bounds::bound(&call.work_bounds(), name, given, default)
}

/// As [`bounds::depth`].
pub(super) fn depth(call: &Call, value: Option<i64>) -> Result<u64, ApiError> {
    bounds::depth(&call.work_bounds(), value)
}

/// As [`bounds::check_steps`].
pub(super) fn check_steps(call: &Call, steps: u64) -> Result<(), ApiError> {
    bounds::check_steps(&call.work_bounds(), steps)
}

/// A number in a body.
pub(super) fn int_or(value: Option<IntBody>, default: i64) -> i64 {
    value.map_or(default, |value| value.0)
}

/// A number in a body, where it is given.
pub(super) fn int(value: Option<IntBody>) -> Option<i64> {
    value.map(|value| value.0)
}

/// A vertex id in a body.
pub(super) fn id_in_body(name: &'static str, id: Option<IdBody>) -> Result<VertexId, ApiError> {
    Ok(rest_json::required(id, name)?.0)
}

/// `alpha`, a probability: above 0 and at most 1.
pub(super) fn alpha(value: RealBody) -> Result<f64, ApiError> {
    if value.0 > 0.0 && value.0 <= 1.0 {
        Ok(value.0)
    } else {
        Err(ApiError::bad_input(format!("'alpha' must be greater than 0 and at most 1, but got {}", value.0)))
    }
}

/// `max_depth`, `capacity` and `limit` of a GET request.
pub(super) fn search_limits_of_query(call: &Call) -> Result<SearchLimits, ApiError> {
    Ok(SearchLimits {
        depth: u32::try_from(max_depth_of(call)?).unwrap_or(u32::MAX),
        capacity: bound_of(call, "capacity", CAPACITY_DEFAULT)?,
        limit: bound_of(call, "limit", PATH_LIMIT_DEFAULT)?,
    })
}

/// A vertex id in the address.
pub(super) fn vertex_id_of(call: &Call, name: &str) -> Result<VertexId, ApiError> {
    match call.query().text(name)? {
        Some(id) => Ok(VertexId::parse_literal(&id)?),
        None => {
            Err(ApiError::bad_input(format!("'{name}' is missing; it must be a vertex id such as %22text%22 or 42")))
        }
    }
}

/// A number in the address, as [`limited`].
pub(super) fn number_or(call: &Call, name: &str, default: i64) -> Result<i64, ApiError> {
    limited(call, name, call.query().number(name)?, default)
}

/// A bound in the address: see [`bound`].
pub(super) fn bound_of(call: &Call, name: &str, default: i64) -> Result<Option<u64>, ApiError> {
    bound(call, name, call.query().number(name)?, default)
}

/// `max_depth` in the address.
pub(super) fn max_depth_of(call: &Call) -> Result<u64, ApiError> {
    depth(call, call.query().number("max_depth")?)
}

/// A boolean in the address.
pub(super) fn flag_or(call: &Call, name: &str, default: bool) -> Result<bool, ApiError> {
    call.query().flag(name, default)
}
