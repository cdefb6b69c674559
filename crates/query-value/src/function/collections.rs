//! Functions of collections: lists, sets, paths, and maps where it says so.

use super::room::Room;
use super::texts::append;
use crate::error::ValueError;
use crate::value::{Map, Set, Value};

/// The items of a collection.
pub type Items<'v> = Box<dyn Iterator<Item = &'v Value> + 'v>;

/// A function of two collections.
pub type OfTwo = for<'v> fn(Items<'v>, Items<'v>, &mut Room) -> Computed;

/// Bytes that an item of a list, of a set or map, and a pair take.
const ITEM_BYTES: usize = size_of::<Value>();
const ENTRY_BYTES: usize = 3 * ITEM_BYTES;
const PAIR_BYTES: usize = 4 * ITEM_BYTES;

/// A collection, or why there is none.
pub type Computed = Result<Value, ValueError>;

fn collect<'v>(items: impl Iterator<Item = &'v Value>, room: &mut Room) -> Result<Vec<Value>, ValueError> {
    items.map(|item| room.take(ITEM_BYTES).map(|()| item.clone())).collect()
}

fn to_set<'v>(items: impl Iterator<Item = &'v Value>, room: &mut Room) -> Result<Set, ValueError> {
    items.map(|item| room.take(ENTRY_BYTES).map(|()| item.clone())).collect()
}

/// All items of both, repetitions too.
///
/// # Errors
/// The result does not fit into the room.
pub fn combine<'v>(a: Items<'v>, b: Items<'v>, room: &mut Room) -> Computed {
    Ok(collect(a.chain(b), room)?.into())
}

/// The different items of both.
///
/// # Errors
/// The result does not fit into the room.
pub fn union<'v>(a: Items<'v>, b: Items<'v>, room: &mut Room) -> Computed {
    Ok(to_set(a.chain(b), room)?.into())
}

/// The different items of the first that are not in the second.
///
/// # Errors
/// The result, or the second as a set, does not fit into the room.
pub fn difference<'v>(a: Items<'v>, b: Items<'v>, room: &mut Room) -> Computed {
    let b = to_set(b, room)?;
    Ok(to_set(a.filter(|item| !b.contains(*item)), room)?.into())
}

/// The different items that are in both.
///
/// # Errors
/// As [`difference`].
pub fn intersect<'v>(a: Items<'v>, b: Items<'v>, room: &mut Room) -> Computed {
    let b = to_set(b, room)?;
    Ok(to_set(a.filter(|item| b.contains(*item)), room)?.into())
}

/// The different items that are in one of both only.
///
/// # Errors
/// As [`difference`].
pub fn disjunct<'v>(a: Items<'v>, b: Items<'v>, room: &mut Room) -> Computed {
    let (a, b) = (to_set(a, room)?, to_set(b, room)?);
    let of_one = a.iter().filter(|item| !b.contains(*item)).chain(b.iter().filter(|item| !a.contains(*item)));
    Ok(to_set(of_one, room)?.into())
}

/// Every pair of an item of the first and one of the second.
///
/// # Errors
/// The result does not fit into the room.
pub fn product<'v>(a: Items<'v>, b: Items<'v>, room: &mut Room) -> Computed {
    let b = collect(b, room)?;
    let mut pairs = Vec::new();
    for first in a {
        room.take(b.len().saturating_mul(PAIR_BYTES))?;
        pairs.extend(b.iter().map(|second| Value::list([first.clone(), second.clone()])));
    }
    Ok(pairs.into())
}

/// The entries of both; of one key the second's value stays.
///
/// # Errors
/// The result does not fit into the room.
pub fn merge(a: &Map, b: &Map, room: &mut Room) -> Computed {
    room.take((a.len() + b.len()).saturating_mul(ENTRY_BYTES))?;
    Ok(Value::map(a.iter().chain(b).map(|(key, value)| (key.clone(), value.clone()))))
}

/// The items from the last to the first.
///
/// # Errors
/// The result does not fit into the room.
pub fn reverse(items: Items<'_>, room: &mut Room) -> Computed {
    let mut items = collect(items, room)?;
    items.reverse();
    Ok(items.into())
}

/// The texts of all items but null, with a delimiter between them.
///
/// # Errors
/// The result does not fit into the room.
pub fn conjoin(items: Items<'_>, delimiter: &str, room: &mut Room) -> Computed {
    let mut all = String::new();
    for (at, item) in items.filter(|item| !matches!(item, Value::Null)).enumerate() {
        if at > 0 {
            append(&mut all, delimiter, room)?;
        }
        all.push_str(&super::text(item, room)?);
    }
    Ok(all.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(items: &[i32]) -> Value {
        Value::list(items.iter().map(|item| Value::Int(*item)))
    }

    fn set(items: &[i32]) -> Value {
        Value::set(items.iter().map(|item| Value::Int(*item)))
    }

    fn both(function: OfTwo, a: &[i32], b: &[i32]) -> Value {
        let (a, b) = (list(a), set(b));
        function(a.items().unwrap(), b.items().unwrap(), &mut Room::new(10_000)).unwrap()
    }

    #[test]
    fn collections_are_joined_and_compared() {
        assert_eq!(both(combine, &[1, 2, 1], &[2]), list(&[1, 2, 1, 2]));
        assert_eq!(both(union, &[1, 2, 1], &[2, 3]), set(&[1, 2, 3]));
        assert_eq!(both(difference, &[1, 2, 1, 3], &[3]), set(&[1, 2]));
        assert_eq!(both(intersect, &[1, 2, 1, 3], &[1, 3]), set(&[1, 3]));
        assert_eq!(both(disjunct, &[1, 2], &[2, 3]), set(&[1, 3]));
        let pairs = both(product, &[1, 2], &[3, 4]);
        assert_eq!(pairs, Value::list([list(&[1, 3]), list(&[1, 4]), list(&[2, 3]), list(&[2, 4])]));
    }

    #[test]
    fn types_of_numbers_matter() {
        let (a, b) = (Value::list([Value::Int(1)]), Value::list([Value::Long(1)]));
        let found = intersect(a.items().unwrap(), b.items().unwrap(), &mut Room::new(1000)).unwrap();
        assert_eq!(found, set(&[]));
    }

    #[test]
    fn maps_are_merged_and_lists_written() {
        let map = |pairs: &[(&str, i32)]| -> Map {
            pairs.iter().map(|(key, value)| (Value::from(*key), Value::Int(*value))).collect()
        };
        let merged = merge(&map(&[("a", 1), ("b", 2)]), &map(&[("b", 3)]), &mut Room::new(1000)).unwrap();
        assert_eq!(merged, Value::from(map(&[("a", 1), ("b", 3)])));
        let mixed = Value::list([Value::from("a"), Value::Null, Value::Int(3)]);
        assert_eq!(conjoin(mixed.items().unwrap(), "; ", &mut Room::new(100)), Ok("a; 3".into()));
        assert_eq!(reverse(list(&[1, 2]).items().unwrap(), &mut Room::new(100)), Ok(list(&[2, 1])));
    }

    #[test]
    fn results_end_where_the_room_does() {
        let many = Value::from(crate::BulkSet::from_iter([(Value::Int(1), u64::MAX)]));
        let one = list(&[1]);
        let items = || (many.items().unwrap(), one.items().unwrap());
        for function in [combine as OfTwo, union, product] {
            let (a, b) = items();
            assert_eq!(function(a, b, &mut Room::new(10_000)), Err(ValueError::NoRoom));
        }
        assert_eq!(conjoin(many.items().unwrap(), ",", &mut Room::new(10_000)), Err(ValueError::NoRoom));
    }
}
