//! Records one after the other, read as they are asked for.

use std::marker::PhantomData;
use std::ops::Bound;

use kv::Cursor;

use crate::error::damaged;
use crate::{PropertyError, Record, RecordKey, record};

/// Keys and records in order; see [`crate::Records::scan`]. After an error it has ended.
pub struct Scan<'s, K> {
    cursor: Option<Box<dyn Cursor + 's>>,
    end: Bound<K>,
    key: PhantomData<K>,
}

impl<'s, K: RecordKey> Scan<'s, K> {
    pub(crate) fn new(cursor: Box<dyn Cursor + 's>, end: Bound<K>) -> Self {
        Self { cursor: Some(cursor), end, key: PhantomData }
    }

    fn step(&mut self) -> Result<Option<(K, Record)>, PropertyError> {
        let Some(cursor) = &mut self.cursor else { return Ok(None) };
        let Some(entry) = cursor.next()? else { return Ok(None) };
        let key = K::read(entry.key).ok_or_else(|| PropertyError::Damaged {
            detail: format!("{:02x?} is no key of a record", entry.key.as_bytes()),
        })?;
        let within = match &self.end {
            Bound::Unbounded => true,
            Bound::Included(end) => key <= *end,
            Bound::Excluded(end) => key < *end,
        };
        if !within {
            return Ok(None);
        }
        let record = record::decode(entry.value).map_err(|error| damaged(key.describe(), error))?;
        Ok(Some((key, record)))
    }
}

impl<K: RecordKey> Iterator for Scan<'_, K> {
    type Item = Result<(K, Record), PropertyError>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step().transpose();
        if !matches!(step, Some(Ok(_))) {
            self.cursor = None;
        }
        step
    }
}
