//! Parameters of traversers: the same names, defaults and bounds in addresses and bodies.

use graph_model::{Direction, VertexId};
use rest_json::{IdBody, IntBody, RealBody};
use traversal::SearchLimits;

use crate::call::Call;
use rest_errors::ApiError;

/// Edges looked at of one vertex.
pub(super) const MAX_DEGREE_DEFAULT: i64 = 10_000;
/// Vertices visited.
pub(super) const CAPACITY_DEFAULT: i64 = 10_000_000;
/// Elements in an answer.
pub(super) const LIMIT_DEFAULT: i64 = 10_000_000;
/// Paths in an answer.
pub(super) const PATH_LIMIT_DEFAULT: i64 = 10;
/// Largest `skip_degree`.
const SKIP_DEGREE_MAX: i64 = 800_000;

/// What is -1 for "no bound" and otherwise greater than 0.
pub(super) fn bound(name: &str, value: i64) -> Result<Option<u64>, ApiError> {
    match u64::try_from(value) {
        Ok(value) if value > 0 => Ok(Some(value)),
        _ if value == -1 => Ok(None),
        _ => Err(ApiError::bad_input(format!("'{name}' must be greater than 0, or -1 for no bound, but got {value}"))),
    }
}

/// A depth: from 1 to `max`.
pub(super) fn depth(value: Option<i64>) -> Result<u64, ApiError> {
    let max = traversal::limits::DEPTH_MAX;
    match value.map(u64::try_from) {
        Some(Ok(depth)) if depth > 0 && depth <= max => Ok(depth),
        Some(_) => Err(ApiError::bad_input(format!(
            "'max_depth' must be from 1 to {max}, but got {}",
            value.unwrap_or_default()
        ))),
        None => Err(ApiError::bad_input(format!("'max_depth' is missing; it must be from 1 to {max}"))),
    }
}

/// Bounds on the edges of one vertex, which depend on each other and on the capacity.
pub(super) fn check_skip_degree(skip_degree: i64, max_degree: i64, capacity: i64) -> Result<u64, ApiError> {
    let wrong = |words: String| Err(ApiError::bad_input(words));
    if !(0..=SKIP_DEGREE_MAX).contains(&skip_degree) {
        return wrong(format!("'skip_degree' must be from 0 to {SKIP_DEGREE_MAX}, but got {skip_degree}"));
    }
    if capacity != -1 && (max_degree == -1 || max_degree >= capacity) {
        return wrong(format!("'max_degree' must be less than 'capacity' ({capacity}), but got {max_degree}"));
    }
    if capacity != -1 && skip_degree >= capacity {
        return wrong(format!("'skip_degree' must be less than 'capacity' ({capacity}), but got {skip_degree}"));
    }
    if skip_degree > 0 && (max_degree == -1 || skip_degree < max_degree) {
        return wrong(format!(
            "'skip_degree' must be at least 'max_degree', but got skip_degree {skip_degree} and max_degree {max_degree}"
        ));
    }
    Ok(skip_degree.unsigned_abs())
}

/// The direction of a name; both where none is given.
pub(crate) fn direction(name: Option<&str>) -> Result<Direction, ApiError> {
    match name {
        None | Some("BOTH") => Ok(Direction::Both),
        Some("OUT") => Ok(Direction::Out),
        Some("IN") => Ok(Direction::In),
        Some(other) => Err(ApiError::bad_input(format!("'direction' must be OUT, IN or BOTH, but got '{other}'"))),
    }
}

/// A number in a body.
pub(super) fn int_or(value: Option<IntBody>, default: i64) -> i64 {
    value.map_or(default, |value| value.0)
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

/// A number in the address.
pub(super) fn number_or(call: &Call, name: &str, default: i64) -> Result<i64, ApiError> {
    Ok(call.query().number(name)?.unwrap_or(default))
}

/// A bound in the address: see [`bound`].
pub(super) fn bound_of(call: &Call, name: &str, default: i64) -> Result<Option<u64>, ApiError> {
    bound(name, number_or(call, name, default)?)
}

/// `max_depth` in the address.
pub(super) fn max_depth_of(call: &Call) -> Result<u64, ApiError> {
    depth(call.query().number("max_depth")?)
}

/// A boolean in the address.
pub(super) fn flag_or(call: &Call, name: &str, default: bool) -> Result<bool, ApiError> {
    call.query().flag(name, default)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minus_one_is_no_bound() {
        assert_eq!(bound("limit", -1).unwrap(), None);
        assert_eq!(bound("limit", 3).unwrap(), Some(3));
        assert!(bound("limit", 0).is_err() && bound("limit", -2).is_err());
    }

    #[test]
    fn depths_are_positive_and_bounded() {
        assert_eq!(depth(Some(5_000)).unwrap(), 5_000);
        for wrong in [None, Some(0), Some(-1), Some(5_001)] {
            assert!(depth(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn degrees_and_capacity_fit_together() {
        assert_eq!(check_skip_degree(0, -1, -1).unwrap(), 0);
        assert_eq!(check_skip_degree(100, 100, 101).unwrap(), 100);
        for (skip, max, capacity) in
            [(-1, 5, 10), (800_001, 5, -1), (0, -1, 10), (0, 10, 10), (10, 5, 10), (4, 5, 10), (4, -1, -1)]
        {
            assert!(check_skip_degree(skip, max, capacity).is_err(), "{skip} {max} {capacity}");
        }
    }
}
