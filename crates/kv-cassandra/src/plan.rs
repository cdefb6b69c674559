//! Which requests a batch becomes.
//!
//! A group of writes must be applied completely. Writes to one partition are one mutation, which a replica applies as a
//! whole; writes to several are sent as a logged batch, which the cluster completes by itself; a group too large for
//! that becomes an intent.

use kv::{Operation, TableId, WriteBatch};
use rustc_hash::FxHashMap;

use crate::limits::{BATCH_STATEMENTS_MAX, MUTATION_BYTES_MAX, PARTITION_BATCH_BYTES, WRITE_OVERHEAD_BYTES};

/// One request, or one intent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit<'a> {
    pub(crate) kind: Kind,
    pub(crate) writes: Vec<Operation<'a>>,
}

/// How a unit is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Writes to one partition: atomic, without a log.
    Partition,
    /// Writes to several, completed by the cluster.
    Logged,
    /// Too large for either.
    Intent,
}

/// About how much a node counts for a write.
pub(crate) fn size(write: &Operation<'_>) -> usize {
    let value = match write {
        Operation::Put { value, .. } => value.len(),
        Operation::Delete { .. } => 0,
    };
    write.key().as_bytes().len() + value + WRITE_OVERHEAD_BYTES
}

/// The requests of a batch. All writes get the same timestamp, and of two with the same timestamp a delete would win
/// over a put: so only the last write of each key stays, and groups that write the same key are merged.
pub(crate) fn units(batch: &WriteBatch, logged_bytes_max: usize) -> Vec<Unit<'_>> {
    let mut partitions: FxHashMap<&[u8], usize> = FxHashMap::default();
    let mut units: Vec<Unit<'_>> = Vec::new();
    let mut sizes: Vec<usize> = Vec::new();
    let mut logged: Option<usize> = None;
    for group in groups(batch) {
        let bytes: usize = group.iter().map(size).sum();
        let Some(first) = group.first() else { continue };
        let partition = first.key().partition();
        if group.iter().all(|write| write.key().partition() == partition) {
            // Groups of one partition travel together while that stays small.
            let open = partitions.get(partition).copied();
            let joined = open.and_then(|at| join(&mut units, &mut sizes, at, &group, bytes, PARTITION_BATCH_BYTES));
            if joined.is_none() {
                let fits = bytes <= MUTATION_BYTES_MAX && group.len() <= BATCH_STATEMENTS_MAX;
                let kind = if fits { Kind::Partition } else { Kind::Intent };
                partitions.insert(partition, units.len());
                units.push(Unit { kind, writes: group });
                sizes.push(bytes);
            }
        } else if bytes > logged_bytes_max || group.len() > BATCH_STATEMENTS_MAX {
            units.push(Unit { kind: Kind::Intent, writes: group });
            sizes.push(bytes);
        } else if logged.and_then(|at| join(&mut units, &mut sizes, at, &group, bytes, logged_bytes_max)).is_none() {
            logged = Some(units.len());
            units.push(Unit { kind: Kind::Logged, writes: group });
            sizes.push(bytes);
        }
    }
    units
}

/// Adds a group to a unit if there is room.
fn join<'a>(
    units: &mut [Unit<'a>],
    sizes: &mut [usize],
    at: usize,
    group: &[Operation<'a>],
    bytes: usize,
    bytes_max: usize,
) -> Option<()> {
    let (unit, size) = (units.get_mut(at)?, sizes.get_mut(at)?);
    let fits = unit.kind != Kind::Intent
        && *size + bytes <= bytes_max
        && unit.writes.len() + group.len() <= BATCH_STATEMENTS_MAX;
    if !fits {
        return None;
    }
    *size += bytes;
    unit.writes.extend_from_slice(group);
    Some(())
}

/// The writes that stay, by group; groups with a key in common are joined, in the place of the first.
fn groups(batch: &WriteBatch) -> Vec<Vec<Operation<'_>>> {
    let mut last: FxHashMap<(TableId, &[u8]), (usize, usize)> = FxHashMap::default();
    let mut group_of: FxHashMap<u32, usize> = FxHashMap::default();
    let mut joined = Joined::default();
    let mut writes: Vec<Option<(usize, Operation<'_>)>> = Vec::with_capacity(batch.len());
    for (number, write) in batch.iter_groups() {
        let group = *group_of.entry(number).or_insert_with(|| joined.add());
        let at = writes.len();
        if let Some((earlier, of)) = last.insert((write.table(), write.key().as_bytes()), (at, group)) {
            if let Some(replaced) = writes.get_mut(earlier) {
                *replaced = None;
            }
            joined.join(of, group);
        }
        writes.push(Some((group, write)));
    }
    let mut all: Vec<Vec<Operation<'_>>> = Vec::new();
    all.resize_with(joined.parents.len(), Vec::new);
    for (group, write) in writes.into_iter().flatten() {
        if let Some(writes) = all.get_mut(joined.root(group)) {
            writes.push(write);
        }
    }
    all
}

/// Which groups have become one: each points to an earlier one or to itself.
#[derive(Default)]
struct Joined {
    parents: Vec<usize>,
}

impl Joined {
    fn add(&mut self) -> usize {
        self.parents.push(self.parents.len());
        self.parents.len() - 1
    }

    fn root(&mut self, mut group: usize) -> usize {
        while let Some(&parent) = self.parents.get(group)
            && parent != group
        {
            let above = self.parents.get(parent).copied().unwrap_or(parent);
            if let Some(entry) = self.parents.get_mut(group) {
                *entry = above;
            }
            group = parent;
        }
        group
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if let Some(entry) = self.parents.get_mut(a.max(b)) {
            *entry = a.min(b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: TableId = TableId(0);
    const U: TableId = TableId(1);

    fn put(batch: &mut WriteBatch, table: TableId, partition: &str, row: &str, value: &[u8]) {
        batch.put(
            table,
            |b| b.extend_from_slice(partition.as_bytes()),
            |b| b.extend_from_slice(row.as_bytes()),
            |b| b.extend_from_slice(value),
        );
    }

    /// Kind, and "partition/row" of each write.
    fn shape(batch: &WriteBatch, logged_max: usize) -> Vec<(Kind, Vec<String>)> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        units(batch, logged_max)
            .iter()
            .map(|unit| {
                let names =
                    unit.writes.iter().map(|w| format!("{}/{}", text(w.key().partition()), text(w.key().row())));
                (unit.kind, names.collect())
            })
            .collect()
    }

    #[test]
    fn groups_of_one_partition_travel_together_others_in_logged_batches() {
        let mut batch = WriteBatch::new();
        for (a, b) in [("a", "x"), ("b", "y"), ("a", "a")] {
            put(&mut batch, T, a, "1", b"");
            put(&mut batch, U, b, "2", b"");
            batch.end_group();
        }
        put(&mut batch, T, "a", "3", b"");
        // The key a/1 is in the first and the third group, which are one therefore.
        let joined = shape(&batch, 10_000);
        assert_eq!(joined.len(), 2);
        assert_eq!(joined[0].0, Kind::Logged);
        assert_eq!(joined[0].1, ["x/2", "a/1", "a/2", "b/1", "y/2"]);
        assert_eq!(joined[1], (Kind::Partition, vec!["a/3".to_owned()]));
    }

    #[test]
    fn only_the_last_write_of_a_key_stays() {
        let mut batch = WriteBatch::new();
        put(&mut batch, T, "a", "1", b"old");
        batch.delete_key(T, kv::Key::new(b"a1", 1));
        put(&mut batch, U, "a", "1", b"other table");
        put(&mut batch, T, "a", "1", b"new");
        let units = units(&batch, 10_000);
        assert_eq!(units.len(), 1);
        let values: Vec<&[u8]> = units[0]
            .writes
            .iter()
            .map(|write| match write {
                Operation::Put { value, .. } => *value,
                Operation::Delete { .. } => panic!("deleted"),
            })
            .collect();
        assert_eq!(values, [&b"other table"[..], b"new"]);
    }

    #[test]
    fn a_logged_batch_ends_before_it_is_too_large_and_no_group_is_cut() {
        let mut batch = WriteBatch::new();
        for n in 0..10 {
            put(&mut batch, T, &format!("a{n}"), "", &[0; 100]);
            put(&mut batch, T, &format!("b{n}"), "", &[0; 100]);
            batch.end_group();
        }
        let group_bytes = 2 * (2 + 100 + WRITE_OVERHEAD_BYTES);
        let shapes = shape(&batch, 3 * group_bytes);
        assert_eq!(shapes.iter().map(|(_, writes)| writes.len()).collect::<Vec<_>>(), [6, 6, 6, 2]);
        assert!(shapes.iter().all(|(kind, _)| *kind == Kind::Logged));
        let shapes = shape(&batch, group_bytes - 1);
        assert_eq!(shapes.len(), 10);
        assert!(shapes.iter().all(|(kind, writes)| *kind == Kind::Intent && writes.len() == 2));
    }

    #[test]
    fn a_large_group_of_one_partition_is_one_mutation_up_to_the_limit() {
        let mut batch = WriteBatch::new();
        put(&mut batch, T, "a", "1", &vec![0; 1 << 20]);
        put(&mut batch, T, "a", "2", &vec![0; 1 << 20]);
        assert_eq!(shape(&batch, 1000), [(Kind::Partition, vec!["a/1".to_owned(), "a/2".into()])]);
        for n in 3..20 {
            put(&mut batch, T, "a", &n.to_string(), &vec![0; 1 << 20]);
        }
        assert_eq!(shape(&batch, 1000)[0].0, Kind::Intent);
    }
}
