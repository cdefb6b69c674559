//! What a record of the write-ahead log says, without being carried out.
//!
//! A record is a batch as RocksDB writes it (`db/write_batch.cc`): 8 bytes with the number of its first write, 4 with
//! how many there are, then the writes. Each is a byte for its kind, the number of its table where it is not of the
//! first one, and one, two or three byte strings with their lengths; numbers after the first twelve bytes are varints.
//! Where batches of several threads were joined, their writes follow each other, and so do the stamps in them.
//! RocksDB's own iteration ends silently at a range of deleted keys, so it cannot be used here.

/// Bytes before the writes.
const HEADER_BYTES: usize = 12;
/// What begins the stamp of a batch: the moment follows.
const STAMP: &[u8; 4] = b"rzt1";
/// What begins that of one that says that rows are added around the log.
const BREAK: &[u8; 4] = b"rzb1";

/// What a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The number of its first write.
    pub(crate) first: u64,
    /// How many writes there are; 0: what RocksDB writes for itself.
    pub(crate) count: u32,
    /// The latest moment in it, in milliseconds since 1970 UTC.
    pub(crate) moment_ms: Option<i64>,
    /// Rows are added around the log.
    pub(crate) breaks: bool,
}

/// The stamp of a batch.
pub(crate) fn stamp(breaks: bool, moment_ms: i64) -> [u8; 12] {
    let mut stamp = [0; 12];
    let (head, moment) = stamp.split_at_mut(4);
    head.copy_from_slice(if breaks { BREAK } else { STAMP });
    moment.copy_from_slice(&moment_ms.to_be_bytes());
    stamp
}

/// Reads a record; `None`: it is none, or one with writes that this program never makes.
pub(crate) fn facts(record: &[u8]) -> Option<Facts> {
    let (header, mut rest) = record.split_at_checked(HEADER_BYTES)?;
    let (first, count) = header.split_at_checked(8)?;
    let mut facts = Facts {
        first: u64::from_le_bytes(first.try_into().ok()?),
        count: u32::from_le_bytes(count.try_into().ok()?),
        moment_ms: None,
        breaks: false,
    };
    let mut found = 0_u32;
    while let Some((kind, after)) = rest.split_first() {
        rest = after;
        let (has_table, strings) = match kind {
            // A deleted key, also one that was written once; a value; a merged one.
            0x00 | 0x07 => (false, 1),
            0x01 | 0x02 => (false, 2),
            0x03 => {
                let blob = string(&mut rest)?;
                note(blob, &mut facts);
                continue;
            }
            0x04 | 0x08 => (true, 1),
            0x05 | 0x06 | 0x0E => (true, 2),
            // A range of deleted keys of the first table.
            0x0F => (false, 2),
            // Nothing.
            0x0D => continue,
            _ => return None,
        };
        if has_table {
            varint(&mut rest)?;
        }
        for _ in 0..strings {
            string(&mut rest)?;
        }
        found = found.checked_add(1)?;
    }
    (found == facts.count && facts.first.checked_add(u64::from(facts.count)).is_some()).then_some(facts)
}

fn note(blob: &[u8], facts: &mut Facts) {
    let Some((head, moment)) = blob.split_at_checked(4) else { return };
    let Ok(moment) = moment.try_into().map(i64::from_be_bytes) else { return };
    if head == STAMP || head == BREAK {
        facts.moment_ms = facts.moment_ms.max(Some(moment));
        facts.breaks |= head == BREAK;
    }
}

fn string<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(varint(rest)?).ok()?;
    let (string, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(string)
}

/// A number below 2^32: seven bits a byte, the lowest first.
fn varint(rest: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u64;
    for shift in (0..35).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(number).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> rocksdb::WriteBatch {
        let mut batch = rocksdb::WriteBatch::default();
        batch.put_log_data(stamp(false, 1_700_000_000_123));
        batch.put(b"key", vec![7; 300]);
        batch.delete(b"gone");
        batch.delete_range(b"a", b"b");
        batch.put_log_data(stamp(false, 1_700_000_000_122));
        batch.put_log_data(b"of somebody else");
        batch
    }

    #[test]
    fn a_record_of_rocksdb_is_understood() {
        let facts = facts(written().data()).unwrap();
        assert_eq!(facts, Facts { first: 0, count: 3, moment_ms: Some(1_700_000_000_123), breaks: false });
        let mut batch = written();
        batch.put_log_data(stamp(true, 5));
        assert!(super::facts(batch.data()).unwrap().breaks);
        assert_eq!(super::facts(rocksdb::WriteBatch::default().data()).unwrap().count, 0);
    }

    #[test]
    fn what_is_cut_or_strange_is_no_record() {
        let batch = written();
        let data = batch.data();
        for length in 0..data.len() {
            // Cut behind a write, the number of writes differs; only the last one has no number.
            let cut = facts(&data[..length]);
            assert!(cut.is_none_or(|cut| cut.count == 3 && cut.moment_ms.is_some()), "{length}");
        }
        for at in 0..data.len() {
            for bit in 0..8 {
                let mut other = data.to_vec();
                other[at] ^= 1 << bit;
                // Never panics.
                let _ = facts(&other);
            }
        }
        let mut strange = data.to_vec();
        strange.push(0x09);
        assert_eq!(facts(&strange), None);
    }
}
