//! The operations, the same for nodes and edges.

use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

use kv::{Keys, WriteBatch};
use parking_lot::{RwLockReadGuard, RwLockWriteGuard};

use crate::error::damaged;
use crate::keys::KeyBytes;
use crate::limits::{BATCH_RESERVE_RECORDS, FETCH_RECORDS, FETCH_RECORDS_PER_THREAD_MIN, RECORD_BYTES_GUESS};
use crate::scan::Scan;
use crate::{Access, PropertyError, PropertyStore, Record, RecordError, RecordKey, record};

/// What a thread of a batch get has read.
type Fetched = Result<Vec<Option<Record>>, PropertyError>;

/// Whether bytes that are said to be a record are looked at before they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// They are decoded once; what is no record is refused.
    Validate,
    /// They are stored as they are. Bytes that are no record make later reads of them fail.
    Trust,
}

/// The records of nodes (`K` is `u64`) or of edges ([`crate::EdgeEnds`]).
#[derive(Clone, Copy)]
pub struct Records<'s, K> {
    store: &'s PropertyStore,
    key: PhantomData<K>,
}

impl<'s, K: RecordKey> Records<'s, K> {
    pub(crate) fn new(store: &'s PropertyStore) -> Self {
        Self { store, key: PhantomData }
    }

    /// The whole record of a key. One read.
    ///
    /// # Errors
    /// [`PropertyError::Engine`], [`PropertyError::Record`] where the stored bytes are no record.
    pub fn get_all(&self, key: K) -> Result<Option<Record>, PropertyError> {
        self.read(self.normal(key), record::decode)
    }

    /// The named fields of a key's record; fields it does not have are left out, the others are not decoded. One read.
    ///
    /// # Errors
    /// As [`Self::get_all`].
    pub fn get(&self, key: K, names: &[&str]) -> Result<Option<Record>, PropertyError> {
        self.read(self.normal(key), |bytes| record::decode_fields(bytes, names))
    }

    /// The records of many keys, in one round of the engine for every few thousand: in the order of `keys`, `None`
    /// where there is none. Where the engine is on this machine, hundreds of keys are shared out among threads, at most
    /// [`FETCH_THREADS_MAX`](crate::limits::FETCH_THREADS_MAX); a concurrent write may then be seen for some keys and
    /// not for others.
    ///
    /// # Errors
    /// As [`Self::get_all`]; the first record that fails makes the call fail.
    pub fn batch_get(&self, keys: &[K]) -> Result<Vec<Option<Record>>, PropertyError> {
        let mut records = Vec::with_capacity(keys.len());
        let shares = (keys.len() / FETCH_RECORDS_PER_THREAD_MIN).clamp(1, self.store.fetch_threads);
        if shares == 1 {
            self.fetch(keys, &mut records)?;
            return Ok(records);
        }
        let (own, others) = keys.split_at(keys.len().div_ceil(shares));
        let mut others: Vec<(&[K], Option<Fetched>)> = others.chunks(own.len()).map(|share| (share, None)).collect();
        std::thread::scope(|scope| {
            for (share, fetched) in &mut others {
                let read = || {
                    let mut records = Vec::with_capacity(share.len());
                    *fetched = Some(self.fetch(share, &mut records).map(|()| records));
                };
                // Without another thread this one reads the share too, below.
                drop(std::thread::Builder::new().name("batch-get".to_owned()).spawn_scoped(scope, read));
            }
            self.fetch(own, &mut records)
        })?;
        for (share, fetched) in others {
            match fetched {
                Some(fetched) => records.append(&mut fetched?),
                None => self.fetch(share, &mut records)?,
            }
        }
        Ok(records)
    }

    /// Reads keys in the calling thread and appends their records.
    fn fetch(&self, keys: &[K], records: &mut Vec<Option<Record>>) -> Result<(), PropertyError> {
        for chunk in keys.chunks(FETCH_RECORDS) {
            let mut wanted = Keys::new();
            for key in chunk {
                let key = self.normal(*key);
                let bytes = key.bytes();
                let key = bytes.as_key();
                wanted.push(|b| b.extend_from_slice(key.partition()), |b| b.extend_from_slice(key.row()));
            }
            let mut failed = None;
            self.store.engine.multi_get(K::TABLE, &wanted, &mut |at, found| {
                let decoded = found.map(record::decode).transpose().unwrap_or_else(|error| {
                    failed.get_or_insert((at, error));
                    None
                });
                records.push(decoded);
            })?;
            if let Some((at, error)) = failed {
                return Err(damaged(chunk.get(at).map_or_else(String::new, |key| key.describe()), error));
            }
        }
        Ok(())
    }

    /// Stores a record and returns the one it replaces, if any. One read and one write. Use [`Self::put`], which saves
    /// the read, if the old record is not needed.
    ///
    /// # Errors
    /// [`PropertyError::ReadOnly`]; [`PropertyError::Record`] for a record that cannot be stored, or where the old one
    /// is damaged; [`PropertyError::Engine`]. Nothing was written then.
    pub fn insert(&self, key: K, record: &Record) -> Result<Option<Record>, PropertyError> {
        let key = self.normal(key);
        let bytes = record::encode(record).map_err(|error| damaged(key.describe(), error))?;
        self.replace(key, &bytes)
    }

    /// As [`Self::insert`], with the bytes of a record ([`record::encode`]).
    ///
    /// # Errors
    /// As [`Self::insert`].
    pub fn insert_raw(&self, key: K, bytes: &[u8], check: Check) -> Result<Option<Record>, PropertyError> {
        let key = self.normal(key);
        check_bytes(key, bytes, check)?;
        self.replace(key, bytes)
    }

    /// Stores a record without reading the one there may be. One write.
    ///
    /// # Errors
    /// As [`Self::insert`].
    pub fn put(&self, key: K, record: &Record) -> Result<(), PropertyError> {
        self.extend([(key, record)])
    }

    /// Stores many records in one batch, without reading; of two for one key the later wins. The engine bounds a batch
    /// ([`kv::limits::BATCH_BYTES_MAX`]). It is atomic where the engine's batches are
    /// ([`kv::Capabilities::atomic_across_partitions`]).
    ///
    /// # Errors
    /// As [`Self::insert`]; nothing of the batch was written then.
    pub fn extend<'r>(&self, records: impl IntoIterator<Item = (K, &'r Record)>) -> Result<(), PropertyError> {
        self.write_all(records, |key, record, out| {
            record::encode_into(record, out).map_err(|error| damaged(key.describe(), error))
        })
    }

    /// As [`Self::extend`], with the bytes of records.
    ///
    /// # Errors
    /// As [`Self::insert`]; nothing of the batch was written then.
    pub fn extend_raw<'r>(
        &self,
        records: impl IntoIterator<Item = (K, &'r [u8])>,
        check: Check,
    ) -> Result<(), PropertyError> {
        self.write_all(records, |key, bytes, out| {
            check_bytes(key, bytes, check)?;
            out.extend_from_slice(bytes);
            Ok(())
        })
    }

    /// Adds fields to the record of a key, over those of the same names, and returns the record as it is now. A key
    /// without one gets one. One read and one write.
    ///
    /// # Errors
    /// As [`Self::insert`].
    pub fn merge(&self, key: K, fields: &Record) -> Result<Record, PropertyError> {
        self.check_writable()?;
        let key = self.normal(key);
        let _held = self.lock(key);
        let mut record = self.read(key, record::decode)?.unwrap_or_default();
        for (name, value) in fields {
            record.insert(name.clone(), value.clone());
        }
        let bytes = record::encode(&record).map_err(|error| damaged(key.describe(), error))?;
        self.commit(key, Some(&bytes))?;
        Ok(record)
    }

    /// Removes the record of a key and returns it. One read and one write.
    ///
    /// # Errors
    /// As [`Self::insert`].
    pub fn remove(&self, key: K) -> Result<Option<Record>, PropertyError> {
        self.check_writable()?;
        let key = self.normal(key);
        let _held = self.lock(key);
        let old = self.read(key, record::decode)?;
        if old.is_some() {
            self.commit(key, None)?;
        }
        Ok(old)
    }

    /// The records of a range of keys, read as the iterator moves, in the order of the keys (edges: by source, then
    /// target). On an engine without an order among partitions only `..` is possible, in the engine's own order.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use kv::MemoryEngine;
    /// # use property_store::{PropertyStore, Record, StoreOptions, TABLES};
    /// # let store = PropertyStore::open(Arc::new(MemoryEngine::open(TABLES)), StoreOptions::default())?;
    /// for id in [300, 5, 40] {
    ///     store.nodes().put(id, &Record::new())?;
    /// }
    /// let ids: Result<Vec<u64>, _> = store.nodes().scan(10..)?.map(|found| found.map(|(id, _)| id)).collect();
    /// assert_eq!(ids?, [40, 300]);
    /// # Ok::<(), property_store::PropertyError>(())
    /// ```
    ///
    /// # Errors
    /// [`PropertyError::Unordered`], [`PropertyError::Engine`].
    pub fn scan(&self, range: impl RangeBounds<K>) -> Result<Scan<'s, K>, PropertyError> {
        let bounded = !matches!((range.start_bound(), range.end_bound()), (Bound::Unbounded, Bound::Unbounded));
        if bounded && !self.store.engine.capabilities().ordered_partitions {
            return Err(PropertyError::Unordered);
        }
        // The engine starts after a key; the range from one.
        let after = match range.start_bound() {
            Bound::Unbounded => None,
            Bound::Excluded(key) => Some(*key),
            Bound::Included(key) => key.before(),
        };
        let after = after.map(K::bytes);
        let cursor = self.store.engine.scan_partitions(K::TABLE, &[], after.as_ref().map(KeyBytes::as_key))?;
        Ok(Scan::new(cursor, range.end_bound().cloned()))
    }

    /// How many records there are. Reads all keys.
    ///
    /// # Errors
    /// [`PropertyError::Engine`].
    pub fn count(&self) -> Result<u64, PropertyError> {
        let mut cursor = self.store.engine.scan_partitions(K::TABLE, &[], None)?;
        let mut count = 0;
        while cursor.next()?.is_some() {
            count += 1;
        }
        Ok(count)
    }

    fn normal(&self, key: K) -> K {
        self.store.normal(key)
    }

    fn check_writable(&self) -> Result<(), PropertyError> {
        if self.store.options.access == Access::ReadOnly { Err(PropertyError::ReadOnly) } else { Ok(()) }
    }

    fn read<T>(&self, key: K, decode: impl Fn(&[u8]) -> Result<T, RecordError>) -> Result<Option<T>, PropertyError> {
        let mut found = None;
        self.store.engine.get(K::TABLE, key.bytes().as_key(), &mut |value| found = Some(decode(value)))?;
        found.transpose().map_err(|error| damaged(key.describe(), error))
    }

    fn replace(&self, key: K, bytes: &[u8]) -> Result<Option<Record>, PropertyError> {
        self.check_writable()?;
        let _held = self.lock(key);
        let old = self.read(key, record::decode)?;
        self.commit(key, Some(bytes))?;
        Ok(old)
    }

    fn commit(&self, key: K, bytes: Option<&[u8]>) -> Result<(), PropertyError> {
        let mut batch = WriteBatch::with_capacity(1, 16 + bytes.map_or(0, <[u8]>::len));
        match bytes {
            Some(bytes) => batch.put_key(K::TABLE, key.bytes().as_key(), bytes),
            None => batch.delete_key(K::TABLE, key.bytes().as_key()),
        }
        Ok(self.store.engine.commit(batch)?)
    }

    fn write_all<R>(
        &self,
        records: impl IntoIterator<Item = (K, R)>,
        write: impl Fn(K, R, &mut Vec<u8>) -> Result<(), PropertyError>,
    ) -> Result<(), PropertyError> {
        self.check_writable()?;
        let records = records.into_iter();
        let expected = records.size_hint().0.min(BATCH_RESERVE_RECORDS);
        let mut batch = WriteBatch::with_capacity(expected, expected * RECORD_BYTES_GUESS);
        let mut stripes = 0u64;
        for (key, record) in records {
            let key = self.normal(key);
            let bytes = key.bytes();
            let place = bytes.as_key();
            let mut written = Ok(());
            batch.put(
                K::TABLE,
                |b| b.extend_from_slice(place.partition()),
                |b| b.extend_from_slice(place.row()),
                |value| written = write(key, record, value),
            );
            written?;
            stripes |= 1 << self.stripe(key);
        }
        // Shared, always in the same order: blind writes exclude read-modify-writes of the same records, not each
        // other.
        let _held: Vec<RwLockReadGuard<'_, ()>> = self
            .store
            .stripes
            .iter()
            .enumerate()
            .filter(|(at, _)| stripes >> at & 1 == 1)
            .map(|(_, stripe)| stripe.read())
            .collect();
        Ok(self.store.engine.commit(batch)?)
    }

    fn stripe(&self, key: K) -> usize {
        self.store.stripe_of(key.bytes().as_key().as_bytes())
    }

    /// Holds off every other write of the key's record.
    fn lock(&self, key: K) -> Option<RwLockWriteGuard<'s, ()>> {
        self.store.stripes.get(self.stripe(key)).map(parking_lot::RwLock::write)
    }
}

pub(crate) fn check_bytes<K: RecordKey>(key: K, bytes: &[u8], check: Check) -> Result<(), PropertyError> {
    match check {
        Check::Trust => Ok(()),
        Check::Validate => record::validate(bytes).map_err(|error| damaged(key.describe(), error)),
    }
}
