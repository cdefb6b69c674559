//! Which requests a batch becomes.
//!
//! A group of writes must be applied completely. Writes to one partition are one mutation, which a replica applies as a
//! whole; small ones travel together in an unlogged batch, which saves requests and promises nothing. Writes to several
//! partitions are sent as a logged batch, which the cluster completes by itself; a group too large for that becomes an
//! intent.

use kv::{Operation, TableId, WriteBatch};
use rustc_hash::FxHashMap;

use crate::limits::{
    BATCH_STATEMENTS_MAX, MUTATION_BYTES_MAX, PARTITION_BATCH_BYTES, UNLOGGED_PARTITIONS_MAX, WRITE_OVERHEAD_BYTES,
};

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
    /// Groups of one partition each, which do not depend on each other.
    Unlogged,
    /// Writes to several, completed by the cluster.
    Logged,
    /// Too large for either.
    Intent,
}

/// How batches become requests.
pub(crate) struct Planner<'p> {
    /// Largest batch over several partitions, in bytes.
    pub(crate) batch_bytes_max: usize,
    /// Which partitions share a node: those of one number.
    pub(crate) place: &'p dyn Fn(TableId, &[u8]) -> u128,
}

impl Planner<'_> {
    /// The requests of a batch. All writes get the same timestamp, and of two with the same one a delete would win over
    /// a put: so only the last write of each key stays, and groups that write the same key are merged.
    pub(crate) fn units<'a>(&self, batch: &'a WriteBatch) -> Vec<Unit<'a>> {
        let mut partitions: FxHashMap<&[u8], usize> = FxHashMap::default();
        let mut units: Vec<Unit<'a>> = Vec::new();
        let mut sizes: Vec<usize> = Vec::new();
        let mut logged: Option<usize> = None;
        for group in groups(batch) {
            let bytes: usize = group.iter().map(size).sum();
            let Some(first) = group.first() else { continue };
            let partition = first.key().partition();
            if is_of_one_partition(&group) {
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
            } else if bytes > self.batch_bytes_max || group.len() > BATCH_STATEMENTS_MAX {
                units.push(Unit { kind: Kind::Intent, writes: group });
                sizes.push(bytes);
            } else if logged
                .and_then(|at| join(&mut units, &mut sizes, at, &group, bytes, self.batch_bytes_max))
                .is_none()
            {
                logged = Some(units.len());
                units.push(Unit { kind: Kind::Logged, writes: group });
                sizes.push(bytes);
            }
        }
        self.pack(units, &sizes)
    }

    /// The requests of writes that need not be applied as a whole, since something else sees to that.
    pub(crate) fn apart<'a>(&self, writes: &[Operation<'a>]) -> Vec<Unit<'a>> {
        let mut sorted = writes.to_vec();
        sorted.sort_by_key(|write| write.key().partition());
        let (mut units, mut sizes) = (Vec::new(), Vec::new());
        for of_partition in sorted.chunk_by(|a, b| a.key().partition() == b.key().partition()) {
            let mut rest = of_partition;
            while !rest.is_empty() {
                let mut bytes = 0;
                let fitting = rest.iter().map(size).take_while(|size| {
                    bytes += size;
                    bytes <= PARTITION_BATCH_BYTES
                });
                let (request, left) = rest.split_at(fitting.count().clamp(1, rest.len()));
                units.push(Unit { kind: Kind::Partition, writes: request.to_vec() });
                sizes.push(request.iter().map(size).sum());
                rest = left;
            }
        }
        self.pack(units, &sizes)
    }

    /// Puts small units of one partition into unlogged batches, each for one node.
    fn pack<'a>(&self, units: Vec<Unit<'a>>, sizes: &[usize]) -> Vec<Unit<'a>> {
        let mut packed: Vec<Unit<'a>> = Vec::with_capacity(units.len());
        // By node, the batch that is not full: where it is, its partitions, its bytes.
        let mut open: FxHashMap<u128, (usize, usize, usize)> = FxHashMap::default();
        for (unit, &bytes) in units.into_iter().zip(sizes) {
            // A larger one would leave no room for another of its kind.
            let small = unit.kind == Kind::Partition && bytes * 2 <= self.batch_bytes_max;
            let Some(first) = unit.writes.first().filter(|_| small) else {
                packed.push(unit);
                continue;
            };
            let place = (self.place)(first.table(), first.key().partition());
            if let Some((at, partitions, all)) = open.get_mut(&place)
                && *partitions < UNLOGGED_PARTITIONS_MAX
                && *all + bytes <= self.batch_bytes_max
                && let Some(batch) = packed.get_mut(*at)
            {
                *partitions += 1;
                *all += bytes;
                batch.kind = Kind::Unlogged;
                batch.writes.extend(unit.writes);
            } else {
                open.insert(place, (packed.len(), 1, bytes));
                packed.push(unit);
            }
        }
        packed
    }
}

fn is_of_one_partition(group: &[Operation<'_>]) -> bool {
    let Some(first) = group.first() else { return true };
    group.iter().all(|write| write.key().partition() == first.key().partition())
}

/// About how much a node counts for a write.
pub(crate) fn size(write: &Operation<'_>) -> usize {
    let value = match write {
        Operation::Put { value, .. } => value.len(),
        Operation::Delete { .. } => 0,
    };
    write.key().as_bytes().len() + value + WRITE_OVERHEAD_BYTES
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

    fn planner(batch_bytes_max: usize) -> Planner<'static> {
        Planner { batch_bytes_max, place: &|_, partition| u128::from(partition[0] == b'z') }
    }

    /// Kind, and "partition/row" of each write.
    fn shape(batch: &WriteBatch, logged_max: usize) -> Vec<(Kind, Vec<String>)> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        planner(logged_max)
            .units(batch)
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
        let planner = planner(10_000);
        let units = planner.units(&batch);
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

    #[test]
    fn small_writes_to_one_partition_share_requests_of_their_node() {
        let mut batch = WriteBatch::new();
        for n in 0..UNLOGGED_PARTITIONS_MAX + 2 {
            put(&mut batch, T, &format!("a{n}"), "", b"");
            batch.end_group();
        }
        put(&mut batch, T, "large", "", &[0; 6_000]);
        batch.end_group();
        for partition in ["z1", "z2"] {
            put(&mut batch, T, partition, "", b"");
            batch.end_group();
        }
        let shapes = shape(&batch, 10_000);
        let kinds: Vec<(Kind, usize)> = shapes.iter().map(|(kind, writes)| (*kind, writes.len())).collect();
        let expected =
            [(Kind::Unlogged, UNLOGGED_PARTITIONS_MAX), (Kind::Unlogged, 2), (Kind::Partition, 1), (Kind::Unlogged, 2)];
        assert_eq!(kinds, expected);
        assert_eq!(shapes[3].1, ["z1/", "z2/"]);
    }

    #[test]
    fn writes_kept_as_an_intent_share_requests() {
        let mut batch = WriteBatch::new();
        for n in 0..2 * UNLOGGED_PARTITIONS_MAX {
            put(&mut batch, T, &format!("a{n}"), "out", b"");
            put(&mut batch, U, &format!("b{n}"), "in", b"");
        }
        put(&mut batch, T, "large", "1", &vec![0; PARTITION_BATCH_BYTES]);
        put(&mut batch, T, "large", "2", b"");
        let writes: Vec<Operation<'_>> = batch.iter().collect();
        let planner = planner(10_000);
        let units = planner.apart(&writes);
        assert_eq!(units.iter().map(|unit| unit.writes.len()).sum::<usize>(), writes.len());
        let kinds: Vec<usize> = units.iter().map(|unit| unit.writes.len()).collect();
        assert_eq!(kinds, [10, 10, 10, 10, 1, 1], "the large write is alone, and what follows it begins another");
    }
}
