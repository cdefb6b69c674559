//! Reading: at a moment, or each call at a moment of its own.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use futures::{StreamExt, TryStreamExt, stream};
use kv::{Cursor, Entry, GoOn, Key, Keys, KvError, Partitions, Read, RowRange, TableId, TableSpec, successor};
use tikv_client::{KvPair, Timestamp};

use crate::error::{Trouble, is_answer_too_large};
use crate::layout::{end_of, value};
use crate::limits::{FIRST_PAGE_ROWS, MULTI_GET_KEYS_MAX, PAGE_ROWS_MAX, REQUESTS_OF_A_CALL_MAX};
use crate::pages::{Pages, Row};
use crate::shared::{Handed, Shared};

/// A way to read.
pub(crate) struct Reader {
    shared: Handed,
    /// The moment, and by this machine's clock when it was taken; `None`: that of each call.
    at: Option<(Timestamp, Instant)>,
}

impl Reader {
    /// Reads what is there at each call.
    pub(crate) fn now(shared: Handed) -> Self {
        Self { shared, at: None }
    }

    /// Reads what is there now, whenever asked.
    pub(crate) fn snapshot(shared: Handed) -> Result<Self, KvError> {
        let since = Instant::now();
        let at = now(&shared)?;
        Ok(Self { shared, at: Some((at, since)) })
    }

    /// The moment at which a call reads, and since when that is so.
    fn moment(&self) -> Result<(Timestamp, Instant), KvError> {
        let since = Instant::now();
        self.at.clone().map_or_else(|| Ok((now(&self.shared)?, since)), Ok)
    }

    /// The moment, where it is not that of the call.
    fn fixed(&self) -> Option<Timestamp> {
        self.at.as_ref().map(|(at, _)| at.clone())
    }

    fn check_age(&self) -> Result<(), KvError> {
        self.at.as_ref().map_or(Ok(()), |(_, since)| check_age(&self.shared, *since))
    }

    fn table(&self, table: TableId) -> Result<&'static TableSpec, KvError> {
        TableSpec::find(self.shared.layout.tables(), table)
    }

    fn open(&self, spec: &'static TableSpec, pages: impl FnOnce(Handed, Timestamp) -> Pages) -> Result<Rows, KvError> {
        let (at, since) = self.moment()?;
        let pages = pages(Handed::clone(&self.shared), at);
        let mut rows = Rows::new(Handed::clone(&self.shared), spec, since, Ahead::fetch(&self.shared, pages));
        rows.load()?;
        Ok(rows)
    }
}

fn now(shared: &Handed) -> Result<Timestamp, KvError> {
    let of_task = Handed::clone(shared);
    shared.wait(async move { of_task.read(None, async |at| Ok(at)).await })
}

/// Refuses what was read of a moment of which rows may have been garbage-collected.
fn check_age(shared: &Shared, since: Instant) -> Result<(), KvError> {
    match shared.options.garbage_age {
        Some(age) if since.elapsed() >= age => {
            Err(KvError::SnapshotTooOld { limit_ms: u64::try_from(age.as_millis()).unwrap_or(u64::MAX) })
        }
        _ => Ok(()),
    }
}

impl Read for Reader {
    fn get(&self, table: TableId, key: Key<'_>, found: &mut dyn FnMut(&[u8])) -> Result<bool, KvError> {
        self.table(table)?;
        let full = self.shared.layout.full(table, key.as_bytes());
        let (shared, at) = (Handed::clone(&self.shared), self.fixed());
        let stored = self.shared.wait(async move {
            shared
                .read(at, |at| {
                    let (mut snapshot, full) = (shared.snapshot(at), full.clone());
                    async move { Ok(snapshot.get(full).await?) }
                })
                .await
        })?;
        self.check_age()?;
        match &stored {
            Some(stored) => {
                found(value(stored)?);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    fn multi_get(
        &self,
        table: TableId,
        keys: &Keys,
        found: &mut dyn FnMut(usize, Option<&[u8]>),
    ) -> Result<(), KvError> {
        self.table(table)?;
        let full: Vec<Vec<u8>> = keys.iter().map(|key| self.shared.layout.full(table, key.as_bytes())).collect();
        let mut distinct = full.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let (shared, at) = (Handed::clone(&self.shared), self.fixed());
        let values = self.shared.wait(async move { multi_get(&shared, at, &distinct).await })?;
        self.check_age()?;
        for (index, key) in full.iter().enumerate() {
            match values.get(key) {
                Some(stored) => found(index, Some(value(stored)?)),
                None => found(index, None),
            }
        }
        Ok(())
    }

    fn scan<'a>(&'a self, table: TableId, range: RowRange<'_>) -> Result<Box<dyn Cursor + 'a>, KvError> {
        let spec = self.table(table)?;
        let partition = self.shared.layout.full(table, range.partition);
        let start = [&partition, range.start].concat();
        let end = match range.end {
            Some(end) => [&partition, end].concat(),
            None => end_of(&partition),
        };
        Ok(Box::new(self.open(spec, |shared, at| Pages::new(shared, at, start, end, FIRST_PAGE_ROWS))?))
    }

    fn scan_partitions<'a>(
        &'a self,
        table: TableId,
        prefix: &[u8],
        after: Option<Key<'_>>,
    ) -> Result<Box<dyn Cursor + 'a>, KvError> {
        let spec = self.table(table)?;
        let prefix = self.shared.layout.full(table, prefix);
        let after = after.map(|after| successor(&self.shared.layout.full(table, after.as_bytes())));
        let end = end_of(&prefix);
        let start = after.filter(|after| *after > prefix).unwrap_or(prefix);
        let pages = |shared, at| Pages::new(shared, at, start, end, FIRST_PAGE_ROWS).by_regions();
        Ok(Box::new(self.open(spec, pages)?))
    }

    fn scan_each(
        &self,
        partitions: Partitions<'_>,
        visit: &mut dyn FnMut(usize, Entry<'_>) -> GoOn,
    ) -> Result<(), KvError> {
        for (table, _) in partitions.lists() {
            self.table(*table)?;
        }
        let (at, since) = self.moment()?;
        let fetch = |table: TableId, partition: Key<'_>| {
            let start = self.shared.layout.full(table, partition.as_bytes());
            let end = end_of(&start);
            let shared = Handed::clone(&self.shared);
            Ahead::fetch(&self.shared, Pages::new(shared, at.clone(), start, end, FIRST_PAGE_ROWS))
        };
        let mut coming: VecDeque<Ahead> = VecDeque::new();
        let (mut current, mut asked) = (0, 0);
        while let Some((table, _)) = partitions.get(current) {
            while coming.len() < REQUESTS_OF_A_CALL_MAX
                && let Some((table, partition)) = partitions.get(asked)
            {
                coming.push_back(fetch(table, partition));
                asked += 1;
            }
            let Some(first) = coming.pop_front() else { break };
            let mut rows = Rows::new(Handed::clone(&self.shared), self.table(table)?, since, first);
            let mut next = current + 1;
            while let Some(entry) = rows.next()? {
                if let GoOn::AtPartition(to) = visit(current, entry) {
                    next = next.max(to);
                    break;
                }
            }
            // What was asked for and is passed over now is of no use.
            let passed = (next - current - 1).min(coming.len());
            coming.drain(..passed);
            asked = asked.max(next);
            current = next;
        }
        Ok(())
    }
}

/// The stored values of keys (sorted, none twice) that exist.
async fn multi_get(
    shared: &Shared,
    at: Option<Timestamp>,
    keys: &[Vec<u8>],
) -> Result<HashMap<Vec<u8>, Vec<u8>>, KvError> {
    let mut size = MULTI_GET_KEYS_MAX;
    loop {
        let attempt = async |at: Timestamp| {
            let mut requests = Vec::with_capacity(keys.len().div_ceil(size));
            for chunk in keys.chunks(size) {
                let (mut snapshot, chunk) = (shared.snapshot(at.clone()), chunk.to_vec());
                requests.push(async move { snapshot.batch_get(chunk).await.map(Iterator::collect::<Vec<KvPair>>) });
            }
            match stream::iter(requests).buffer_unordered(REQUESTS_OF_A_CALL_MAX).try_collect::<Vec<_>>().await {
                Ok(pairs) => Ok(Some(pairs)),
                Err(error) if size > 1 && is_answer_too_large(&error) => Ok(None),
                Err(error) => Err(Trouble::from(error)),
            }
        };
        match shared.read(at.clone(), attempt).await? {
            Some(pairs) => {
                let pairs = pairs.into_iter().flatten();
                return Ok(pairs.map(|KvPair(key, stored)| (key.into(), stored)).collect());
            }
            // Values so large that a few of them fill an answer.
            None => size = (size / 16).max(1),
        }
    }
}

/// Pages on their way with the next of them.
struct Ahead(oneshot::Receiver<(Pages, Result<Vec<Row>, KvError>)>);

impl Ahead {
    fn fetch(shared: &Shared, mut pages: Pages) -> Self {
        let (sender, receiver) = oneshot::channel();
        shared.runtime.spawn(async move {
            let page = pages.next().await;
            drop(sender.send((pages, page)));
        });
        Self(receiver)
    }
}

/// The rows of a scan. After the first page, the next one is fetched while one is read.
struct Rows {
    shared: Handed,
    spec: &'static TableSpec,
    /// When the moment was taken that is read.
    since: Instant,
    state: State,
    first: bool,
    page: std::vec::IntoIter<Row>,
    current: Row,
}

enum State {
    Coming(Ahead),
    Waiting(Pages),
    Over,
}

impl Rows {
    fn new(shared: Handed, spec: &'static TableSpec, since: Instant, ahead: Ahead) -> Self {
        let current = (Vec::new(), Vec::new());
        Self { shared, spec, since, state: State::Coming(ahead), first: true, page: Vec::new().into_iter(), current }
    }

    /// Makes the next page the current one; it has no rows at the end.
    fn load(&mut self) -> Result<(), KvError> {
        let ahead = match std::mem::replace(&mut self.state, State::Over) {
            State::Coming(ahead) => ahead,
            State::Waiting(pages) => Ahead::fetch(&self.shared, pages),
            State::Over => return Ok(()),
        };
        let (pages, page) = ahead.0.recv().map_err(|_| KvError::Closed)?;
        check_age(&self.shared, self.since)?;
        let failed = page.is_err();
        if failed || self.first && !pages.is_done() {
            self.state = State::Waiting(pages);
        } else if !pages.is_done() {
            self.state = State::Coming(Ahead::fetch(&self.shared, pages));
        }
        self.first &= failed;
        self.page = page?.into_iter();
        Ok(())
    }
}

impl Cursor for Rows {
    fn next(&mut self) -> Result<Option<Entry<'_>>, KvError> {
        if self.page.len() == 0 {
            self.load()?;
        }
        let Some(row) = self.page.next() else { return Ok(None) };
        self.current = row;
        let (full, stored) = &self.current;
        Ok(Some(Entry { key: self.shared.layout.key(self.spec, full)?, value: value(stored)? }))
    }
}

/// The most rows that deleting a prefix asks for at one time are below a page's.
const _: () = assert!(crate::limits::DELETE_KEYS_MAX <= PAGE_ROWS_MAX);
