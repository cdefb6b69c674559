//! Scans, a page at a time.
//!
//! The client sends a scan to every region of its range at once, each with the whole limit, and throws away what is too
//! much. So a scan that reaches over regions asks PD where they end and goes from one to the next.

use std::collections::VecDeque;
use std::ops::Range;

use kv::{KvError, successor};
use tikv_client::{KvPair, Snapshot, Timestamp};

use crate::error::{Trouble, is_answer_too_large};
use crate::limits::{PAGE_BYTES, PAGE_ROWS_MAX, REGIONS_AT_ONCE};
use crate::shared::Handed;

/// A full key and its stored value (empty where only keys were asked for).
pub(crate) type Row = (Vec<u8>, Vec<u8>);

/// What is left of a scan.
pub(crate) struct Pages {
    shared: Handed,
    at: Timestamp,
    next: Vec<u8>,
    end: Vec<u8>,
    keys_only: bool,
    /// Rows of the next page at most.
    limit: u32,
    /// Whether to go by regions. If not, the first page that is full decides for it.
    by_regions: bool,
    /// Where the next regions end, as far as is known.
    region_ends: VecDeque<Vec<u8>>,
}

impl Pages {
    /// The rows from the full key `start` to before `end`.
    pub(crate) fn new(shared: Handed, at: Timestamp, start: Vec<u8>, end: Vec<u8>, limit: u32) -> Self {
        Self { shared, at, next: start, end, keys_only: false, limit, by_regions: false, region_ends: VecDeque::new() }
    }

    /// The same, for a range that is likely to reach over regions.
    pub(crate) fn by_regions(mut self) -> Self {
        self.by_regions = true;
        self
    }

    /// The same without values.
    pub(crate) fn keys_only(mut self) -> Self {
        self.keys_only = true;
        self
    }

    /// Whether all was read.
    pub(crate) fn is_done(&self) -> bool {
        self.next >= self.end
    }

    /// The next rows; none at the end. After an error the same page can be asked for again.
    pub(crate) async fn next(&mut self) -> Result<Vec<Row>, KvError> {
        while !self.is_done() {
            let to = self.region_end().await?;
            let rows = self.fetch(&to).await?;
            match rows.last() {
                Some((last, _)) if rows.len() >= usize::try_from(self.limit).unwrap_or(usize::MAX) => {
                    self.next = successor(last);
                    self.by_regions = true;
                }
                _ => self.next = to,
            }
            if !rows.is_empty() {
                self.fit_limit(&rows);
                return Ok(rows);
            }
        }
        Ok(Vec::new())
    }

    /// Where the next page ends at the latest.
    async fn region_end(&mut self) -> Result<Vec<u8>, KvError> {
        if !self.by_regions {
            return Ok(self.end.clone());
        }
        while self.region_ends.front().is_some_and(|end| *end <= self.next) {
            self.region_ends.pop_front();
        }
        if self.region_ends.is_empty() {
            self.region_ends = self.shared.region_ends(&self.next, &self.end, REGIONS_AT_ONCE).await?.into();
        }
        let end = self.region_ends.front().filter(|end| **end > self.next && **end < self.end);
        Ok(end.unwrap_or(&self.end).clone())
    }

    async fn fetch(&mut self, to: &[u8]) -> Result<Vec<Row>, KvError> {
        loop {
            let (limit, keys_only) = (self.limit, self.keys_only);
            let page = self.shared.read(Some(self.at.clone()), |at| {
                let range = self.next.clone()..to.to_vec();
                scan(self.shared.snapshot(at), range, limit, keys_only)
            });
            match page.await? {
                Some(rows) => return Ok(rows),
                None => self.limit = (limit / TOO_LARGE_DIVISOR).max(1),
            }
        }
    }

    /// Fits the rows of the next page to the sizes of these.
    fn fit_limit(&mut self, rows: &[Row]) {
        if self.keys_only {
            return;
        }
        let bytes: usize = rows.iter().map(|(key, value)| key.len() + value.len()).sum();
        let fit = PAGE_BYTES / (bytes / rows.len().max(1)).max(1);
        self.limit = u32::try_from(fit).unwrap_or(u32::MAX).clamp(1, self.limit.saturating_mul(4).min(PAGE_ROWS_MAX));
    }
}

/// A page that was too large is asked for again with this part of its rows.
const TOO_LARGE_DIVISOR: u32 = 16;

/// One page; `None` where it is larger than an answer may be and has more than one row.
async fn scan(
    mut snapshot: Snapshot,
    range: Range<Vec<u8>>,
    limit: u32,
    keys_only: bool,
) -> Result<Option<Vec<Row>>, Trouble> {
    let rows = if keys_only {
        snapshot.scan_keys(range, limit).await.map(|keys| keys.map(|key| (key.into(), Vec::new())).collect())
    } else {
        snapshot.scan(range, limit).await.map(|pairs| pairs.map(|KvPair(key, value)| (key.into(), value)).collect())
    };
    match rows {
        Ok(rows) => Ok(Some(rows)),
        Err(error) if limit > 1 && is_answer_too_large(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
