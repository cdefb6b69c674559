//! The record of a graph's counts in `meta`, from one run of a program to the next.
//!
//! Its numbers are triples: 0 for vertices or 1 for edges; 0 for all, or one more than the number of a label; the
//! count.

use graph_model::LabelId;
use key_codec::key::{MetaKind, meta_partition, meta_row_name};
use key_codec::{GraphNumber, setting_value, tables};
use kv::{KeyBuf, KvError, Read, WriteBatch};

/// What is counted: edges or vertices, of a label or all.
pub type Counted = (bool, Option<LabelId>);

/// The name of its row among the settings of a graph. A copy of the graph does not have it.
pub const RECORD: &str = "counts";

fn key(graph: GraphNumber) -> KeyBuf {
    let mut key = KeyBuf::new();
    meta_partition(key.bytes_mut(), graph, MetaKind::Setting);
    key.end_partition();
    meta_row_name(key.bytes_mut(), RECORD);
    key
}

/// What the record says; `None` where there is none. One that cannot be read says nothing.
pub(crate) fn read(read: &dyn Read, graph: GraphNumber) -> Result<Option<Vec<(Counted, u64)>>, KvError> {
    let mut counts = None;
    read.get(tables::META, key(graph).as_key(), &mut |value| counts = Some(decode(value).unwrap_or_default()))?;
    Ok(counts)
}

fn decode(value: &[u8]) -> Option<Vec<(Counted, u64)>> {
    let numbers = setting_value::read_all_numbers(value).ok()?;
    let triples = numbers.chunks(3).map(|triple| {
        let [kind @ 0..=1, label, count] = triple else { return None };
        let label = label.checked_sub(1).map(u32::try_from).transpose().ok()?.map(LabelId);
        Some(((*kind == 1, label), *count))
    });
    triples.collect()
}

/// Appends the record.
pub(crate) fn put(batch: &mut WriteBatch, graph: GraphNumber, counts: &[(Counted, u64)]) {
    let numbers = counts.iter().flat_map(|((is_edge, label), count)| {
        [u64::from(*is_edge), label.map_or(0, |label| u64::from(label.0) + 1), *count]
    });
    let numbers: Vec<u64> = numbers.collect();
    let mut value = Vec::new();
    setting_value::put_numbers(&mut value, &numbers);
    batch.put_key(tables::META, key(graph).as_key(), &value);
}

/// Appends its removal.
pub(crate) fn delete(batch: &mut WriteBatch, graph: GraphNumber) {
    batch.delete_key(tables::META, key(graph).as_key());
}

#[cfg(test)]
mod tests {
    use kv::{Engine, MemoryEngine};

    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let engine = MemoryEngine::open(tables::TABLES);
        let graph = GraphNumber(3);
        assert_eq!(read(&engine, graph).unwrap(), None);
        let counts = vec![((false, None), 0), ((true, None), 7), ((true, Some(LabelId(0))), u64::MAX)];
        let mut batch = WriteBatch::new();
        put(&mut batch, graph, &counts);
        engine.commit(batch).unwrap();
        assert_eq!(read(&engine, graph).unwrap(), Some(counts));
        assert_eq!(read(&engine, GraphNumber(4)).unwrap(), None);
        let mut batch = WriteBatch::new();
        delete(&mut batch, graph);
        engine.commit(batch).unwrap();
        assert_eq!(read(&engine, graph).unwrap(), None);
    }

    #[test]
    fn a_damaged_record_says_nothing() {
        for damaged in [&[1][..], &[1, 1], &[2, 0, 1], &[0, 0, 0x80], &[1, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 1]] {
            assert_eq!(decode(damaged), None, "{damaged:?}");
        }
        assert_eq!(decode(&[]), Some(vec![]));
    }
}
