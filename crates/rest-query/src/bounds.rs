//! Bounds that requests give to traversers: how they are read, and what a graph allows of them.

use graph_model::Direction;
use rest_errors::ApiError;
use serving::WorkBounds;

/// Largest `skip_degree`.
const SKIP_DEGREE_MAX: i64 = 800_000;

/// A bound that a request gives, or the default; -1: none. Where the graph has a limit of its own, more than that is
/// refused, and the default is no more.
pub fn limited(own: &WorkBounds, name: &str, given: Option<i64>, default: i64) -> Result<i64, ApiError> {
    let (max, limit, others) = match name {
        "max_depth" => (own.traverser_depth_max, "traverser_depth_max", 0),
        "max_degree" => {
            (own.traverser_degree_max, "traverser_degree_max", own.traverser_capacity_max.saturating_sub(1))
        }
        // Not more than of what it is a sample.
        "sample" => (0, "", own.traverser_degree_max),
        "capacity" => (own.traverser_capacity_max, "traverser_capacity_max", 0),
        "limit" => (own.traverser_limit_max, "traverser_limit_max", own.traverser_capacity_max),
        _ => return Ok(given.unwrap_or(default)),
    };
    let below = |value: i64, max: u64| max == 0 || u64::try_from(value).is_ok_and(|value| value <= max);
    match given {
        Some(value) if value != -1 && (value < 0 || below(value, max)) => Ok(value),
        Some(value) if max > 0 => Err(ApiError::bad_input(format!(
            "'{name}' must be at most {max} ({limit} of the graph's own limits), but got {value}"
        ))),
        Some(value) => Ok(value),
        None => {
            let most = [max, others].into_iter().filter(|max| !below(default, *max)).min();
            Ok(most.map_or(default, |most| i64::try_from(most.max(1)).unwrap_or(i64::MAX)))
        }
    }
}

/// A bound as [`limited`]: -1 for none and otherwise greater than 0.
pub fn bound(own: &WorkBounds, name: &str, given: Option<i64>, default: i64) -> Result<Option<u64>, ApiError> {
    positive(name, limited(own, name, given, default)?)
}

/// What is -1 for "no bound" and otherwise greater than 0.
pub fn positive(name: &str, value: i64) -> Result<Option<u64>, ApiError> {
    match u64::try_from(value) {
        Ok(value) if value > 0 => Ok(Some(value)),
        _ if value == -1 => Ok(None),
        _ => Err(ApiError::bad_input(format!("'{name}' must be greater than 0, or -1 for no bound, but got {value}"))),
    }
}

/// A depth: from 1 to as much as a graph allows.
pub fn depth(own: &WorkBounds, value: Option<i64>) -> Result<u64, ApiError> {
    let checked = depth_of(value)?;
    limited(own, "max_depth", value, 1)?;
    Ok(checked)
}

fn depth_of(value: Option<i64>) -> Result<u64, ApiError> {
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

/// Refuses more steps, given one by one, than a walk on the graph may have.
pub fn check_steps(own: &WorkBounds, steps: u64) -> Result<(), ApiError> {
    let max = own.traverser_depth_max;
    if max == 0 || steps <= max {
        return Ok(());
    }
    Err(ApiError::bad_input(format!(
        "'steps' may make walks of {max} steps at most (traverser_depth_max of the graph's own limits), but makes \
        {steps}"
    )))
}

/// Bounds on the edges of one vertex, which depend on each other and on the capacity.
pub fn check_skip_degree(skip_degree: i64, max_degree: i64, capacity: i64) -> Result<u64, ApiError> {
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
pub fn direction(name: Option<&str>) -> Result<Direction, ApiError> {
    match name {
        None | Some("BOTH") => Ok(Direction::Both),
        Some("OUT") => Ok(Direction::Out),
        Some("IN") => Ok(Direction::In),
        Some(other) => Err(ApiError::bad_input(format!("'direction' must be OUT, IN or BOTH, but got '{other}'"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minus_one_is_no_bound() {
        assert_eq!(positive("limit", -1).unwrap(), None);
        assert_eq!(positive("limit", 3).unwrap(), Some(3));
        assert!(positive("limit", 0).is_err() && positive("limit", -2).is_err());
    }

    #[test]
    fn depths_are_positive_and_bounded() {
        assert_eq!(depth(&WorkBounds::default(), Some(5_000)).unwrap(), 5_000);
        for wrong in [None, Some(0), Some(-1), Some(5_001)] {
            assert!(depth(&WorkBounds::default(), wrong).is_err(), "{wrong:?}");
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

    #[test]
    fn a_graph_allows_no_more_than_its_own_limits() {
        let own = WorkBounds {
            traverser_depth_max: 3,
            traverser_degree_max: 100,
            traverser_capacity_max: 1_000,
            traverser_limit_max: 50,
            query_timeout_ms: 0,
        };
        let ask = |name: &str, given: Option<i64>, default| limited(&own, name, given, default);
        for (name, max) in [("max_depth", 3), ("max_degree", 100), ("capacity", 1_000), ("limit", 50)] {
            assert_eq!(ask(name, Some(max), 1).unwrap(), max);
            assert_eq!(ask(name, None, 1).unwrap(), 1, "the default is less");
            assert_eq!(ask(name, None, 10_000_000).unwrap(), max);
            for more in [max + 1, -1] {
                assert!(ask(name, Some(more), 1).is_err(), "{name} {more}");
            }
        }
        assert_eq!(ask("sample", None, 1_000).unwrap(), 100);
        assert_eq!(ask("top", Some(5_000), 1).unwrap(), 5_000);
        assert!(depth(&own, Some(3)).is_ok() && depth(&own, Some(4)).is_err());
        assert!(check_steps(&own, 3).is_ok() && check_steps(&own, 4).is_err());
        // Defaults fit to each other: a degree is below the capacity, a limit not above it.
        let small = WorkBounds { traverser_capacity_max: 10, ..WorkBounds::default() };
        let of = |name: &str| limited(&small, name, None, 10_000).unwrap();
        assert_eq!((of("max_degree"), of("capacity"), of("limit")), (9, 10, 10));
        assert_eq!(limited(&WorkBounds::default(), "max_degree", Some(-1), 1).unwrap(), -1);
    }
}
