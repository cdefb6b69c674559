//! Points: made of maps, measured, compared.

use crate::error::{Detail, Error, Result};
use crate::value::{Map, Point, Value};

/// The reference systems: number, name, dimensions, and whether coordinates are degrees.
const SYSTEMS: [(u32, &str, usize, bool); 4] = [
    (7203, "cartesian", 2, false),
    (9157, "cartesian-3d", 3, false),
    (4326, "wgs-84", 2, true),
    (4979, "wgs-84-3d", 3, true),
];

/// Mean radius of the Earth in metres, as Neo4j has it.
const EARTH_RADIUS: f64 = 6_378_140.0;

/// An error: an argument that makes no point.
fn refuse(message: impl Into<String>) -> Error {
    Error::argument(Detail::InvalidArgumentValue, message)
}

/// Whether coordinates of a reference system are degrees.
fn is_geographic(point: &Point) -> bool {
    SYSTEMS.iter().any(|(srid, .., degrees)| *srid == point.srid && *degrees)
}

/// Makes a point of a map: `x`, `y`, `z`, or `longitude`, `latitude`, `height`, with `crs` or `srid`. Null for a
/// coordinate that is null.
///
/// # Errors
///
/// A type error for what is no map of numbers, an argument error for coordinates that do not go together.
pub(crate) fn make(value: &Value) -> Result<Value> {
    let map = match value {
        Value::Null => return Ok(Value::Null),
        Value::Map(map) => map,
        other => {
            return Err(Error::type_error(
                Detail::InvalidArgumentType,
                format!("point() expects a MAP, found {}", other.type_name()),
            ));
        }
    };
    const COORDINATES: [&str; 6] = ["x", "y", "z", "longitude", "latitude", "height"];
    if COORDINATES.iter().any(|name| map.get(*name).is_some_and(Value::is_null)) {
        return Ok(Value::Null);
    }
    let degrees = map.contains_key("longitude") || map.contains_key("latitude");
    let first = |names: [&str; 2]| match coordinate(map, names[0])? {
        None => coordinate(map, names[1]),
        found => Ok(found),
    };
    let (Some(x), Some(y)) = (first(["longitude", "x"])?, first(["latitude", "y"])?) else {
        return Err(refuse("a point needs `x` and `y`, or `longitude` and `latitude`"));
    };
    let z = first(["height", "z"])?;
    let dimensions = if z.is_some() { 3 } else { 2 };
    let system = match (map.get("srid"), map.get("crs")) {
        (Some(Value::Integer(srid)), _) => SYSTEMS.iter().find(|(known, ..)| i64::from(*known) == *srid),
        (None, Some(Value::String(name))) => SYSTEMS.iter().find(|(_, known, ..)| name.eq_ignore_ascii_case(known)),
        (None, None) => SYSTEMS.iter().find(|(.., size, of_degrees)| *size == dimensions && *of_degrees == degrees),
        _ => None,
    };
    let Some((srid, name, size, geographic)) = system else {
        return Err(refuse(
            "`crs` and `srid` name cartesian (7203), cartesian-3d (9157), wgs-84 (4326) or wgs-84-3d (4979)",
        ));
    };
    if *size != dimensions || (degrees && !geographic) {
        return Err(refuse(format!("these coordinates are none of {name}")));
    }
    if *geographic && !(-90.0..=90.0).contains(&y) {
        return Err(refuse(format!("a latitude must be from -90 to 90, not {y}")));
    }
    // Longitudes go round.
    let x = if *geographic && !(-180.0..=180.0).contains(&x) { (x + 180.0).rem_euclid(360.0) - 180.0 } else { x };
    Ok(Point { srid: *srid, x, y, z }.into())
}

/// A coordinate; none if it is not there.
fn coordinate(map: &Map, name: &str) -> Result<Option<f64>> {
    match map.get(name) {
        None => Ok(None),
        Some(value) => match crate::arithmetic::as_float(value) {
            Some(number) if number.is_finite() => Ok(Some(number)),
            Some(_) => Err(refuse(format!("`{name}` must be a finite number"))),
            None => Err(Error::type_error(
                Detail::InvalidArgumentType,
                format!("`{name}` must be a number, not {}", value.type_name()),
            )),
        },
    }
}

/// A component of a point by its name; none if it has none of that name.
pub(crate) fn part(point: &Point, name: &str) -> Option<Value> {
    let geographic = is_geographic(point);
    match name {
        "x" => Some(point.x.into()),
        "y" => Some(point.y.into()),
        "z" => point.z.map(Value::from),
        "longitude" if geographic => Some(point.x.into()),
        "latitude" if geographic => Some(point.y.into()),
        "height" if geographic => point.z.map(Value::from),
        "srid" => Some(Value::Integer(point.srid.into())),
        "crs" => SYSTEMS.iter().find(|(srid, ..)| *srid == point.srid).map(|(_, name, ..)| (*name).into()),
        _ => None,
    }
}

/// The distance of two points of one reference system: straight, or over the surface of the Earth in metres by the
/// haversine formula. None for other systems.
pub(crate) fn distance(a: &Point, b: &Point) -> Option<f64> {
    if a.srid != b.srid {
        return None;
    }
    let up = b.z.unwrap_or(0.0) - a.z.unwrap_or(0.0);
    if !is_geographic(a) {
        return Some((b.x - a.x).hypot(b.y - a.y).hypot(up));
    }
    let (from, to) = (a.y.to_radians(), b.y.to_radians());
    let half = |angle: f64| (angle / 2.0).sin().powi(2);
    let chord = half(to - from) + from.cos() * to.cos() * half((b.x - a.x).to_radians());
    let height = f64::midpoint(a.z.unwrap_or(0.0), b.z.unwrap_or(0.0));
    let ground = 2.0 * (EARTH_RADIUS + height) * chord.sqrt().min(1.0).asin();
    Some(ground.hypot(up))
}

/// Whether a point lies within the box between its lower left and its upper right corner; none if the reference
/// systems differ. A box of degrees whose left is greater than its right goes around the antimeridian.
pub(crate) fn is_within(point: &Point, lower: &Point, upper: &Point) -> Option<bool> {
    if point.srid != lower.srid || point.srid != upper.srid {
        return None;
    }
    let across = if is_geographic(point) && lower.x > upper.x {
        point.x >= lower.x || point.x <= upper.x
    } else {
        (lower.x..=upper.x).contains(&point.x)
    };
    let height = match (point.z, lower.z, upper.z) {
        (Some(z), Some(low), Some(high)) => (low..=high).contains(&z),
        _ => true,
    };
    Some(across && height && (lower.y..=upper.y).contains(&point.y))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(fields: &[(&str, f64)]) -> Value {
        make(&Value::map(fields.iter().map(|(name, value)| ((*name).into(), Value::Float(*value))).collect())).unwrap()
    }

    fn inner(value: &Value) -> &Point {
        match value {
            Value::Point(point) => point,
            other => panic!("{other:?} is no point"),
        }
    }

    #[test]
    fn degrees_are_measured_on_the_earth() {
        let malmo = point(&[("longitude", 12.994_341), ("latitude", 55.611_784)]);
        let lund = point(&[("longitude", 13.191_0), ("latitude", 55.704_7)]);
        let metres = distance(inner(&malmo), inner(&lund)).unwrap();
        assert!((16_000.0..16_300.0).contains(&metres), "{metres}");
        assert_eq!(distance(inner(&malmo), inner(&point(&[("x", 1.0), ("y", 2.0)]))), None);
    }

    #[test]
    fn straight_distances_and_boxes() {
        let (a, b) = (point(&[("x", 0.0), ("y", 0.0)]), point(&[("x", 3.0), ("y", 4.0)]));
        assert_eq!(distance(inner(&a), inner(&b)), Some(5.0));
        assert_eq!(is_within(inner(&a), inner(&a), inner(&b)), Some(true));
        assert_eq!(is_within(inner(&b), inner(&a), inner(&a)), Some(false));
    }

    #[test]
    fn longitudes_go_round() {
        assert_eq!(inner(&point(&[("longitude", 190.0), ("latitude", 0.0)])).x, -170.0);
    }
}
