//! Cursors that fetch what comes next while the last page is being read.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kv::{Cursor, Entry, KvError};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::client::Client;
use crate::limits::{RANGES_AHEAD, SCAN_AHEAD_BYTES};
use crate::page::{Page, Rest};
use crate::ranges::{Ranges, TokenRange, ring};

type Fetched = Result<(Page, Rest), KvError>;

/// A position in the rows of a scan.
///
/// It reads pieces in order: one for a scan of a partition; for one of a whole table a first look, then ranges of
/// tokens that are read at once.
pub(crate) struct PageCursor {
    client: Arc<Client>,
    runtime: Handle,
    page: Page,
    /// The next row of the page.
    at: usize,
    /// What is being read or has been read ahead, in the order of rows.
    pieces: VecDeque<Piece>,
    /// What is in no piece yet; `None` as long as the first piece may be all.
    further: Option<Further>,
    /// How many pieces there may be at once.
    ahead: usize,
    /// Bytes of pages of this scan.
    held: Arc<AtomicUsize>,
}

/// Ranges of tokens nobody has begun to read, and what such a reading begins with.
struct Further {
    ranges: Ranges,
    like: Rest,
}

/// A part of a scan: one page of it is fetched at a time.
struct Piece {
    /// Its tokens, if it is a range.
    range: Option<TokenRange>,
    /// What is left of it; elsewhere while a page is being fetched.
    rest: Option<Rest>,
    fetching: Option<JoinHandle<Fetched>>,
}

/// Begins to fetch a page.
fn fetch(runtime: &Handle, client: &Arc<Client>, held: &Arc<AtomicUsize>, mut rest: Rest) -> JoinHandle<Fetched> {
    let (client, held) = (Arc::clone(client), Arc::clone(held));
    runtime.spawn(async move {
        let mut page = rest.next_page(&client).await?;
        page.hold(&client, &held);
        Ok((page, rest))
    })
}

impl PageCursor {
    /// Begins to fetch the first page.
    pub(crate) fn start(client: Arc<Client>, runtime: Handle, rest: Rest) -> Self {
        let first = Piece { range: None, rest: Some(rest), fetching: None };
        let mut cursor = Self {
            client,
            runtime,
            page: Page::default(),
            at: 0,
            pieces: VecDeque::from([first]),
            further: None,
            ahead: 1,
            held: Arc::default(),
        };
        cursor.fetch_next();
        cursor
    }

    /// Begins to fetch the next page of the first piece, if there is one and it is not under way.
    fn fetch_next(&mut self) {
        let Some(piece) = self.pieces.front_mut() else { return };
        let Some(rest) = piece.rest.take_if(|rest| !rest.is_empty()) else { return };
        piece.fetching = Some(fetch(&self.runtime, &self.client, &self.held, rest));
    }

    /// Begins further ranges, as many as may be read at once.
    fn fetch_ahead(&mut self) {
        let Some(further) = &mut self.further else { return };
        while self.pieces.is_empty()
            || (self.pieces.len() < self.ahead && self.held.load(Ordering::Relaxed) < SCAN_AHEAD_BYTES)
        {
            let Some(range) = further.ranges.next() else { return };
            let fetching = fetch(&self.runtime, &self.client, &self.held, further.like.of_range(range));
            self.pieces.push_back(Piece { range: Some(range), rest: None, fetching: Some(fetching) });
        }
    }

    /// Takes the next page that has rows; false at the end.
    fn turn(&mut self) -> Result<bool, KvError> {
        self.page = Page::default();
        self.at = 0;
        while self.page.rows.is_empty() {
            self.fetch_next();
            self.fetch_ahead();
            let Some(piece) = self.pieces.front_mut() else { return Ok(false) };
            let Some(fetching) = piece.fetching.take() else {
                self.pieces.pop_front();
                continue;
            };
            match futures::executor::block_on(fetching).unwrap_or(Err(KvError::Closed)) {
                Ok((page, rest)) => {
                    self.page = page;
                    self.put_back(rest);
                }
                Err(error) => {
                    self.stop();
                    return Err(error);
                }
            }
        }
        Ok(true)
    }

    /// Keeps what is left of the first piece, or ends it.
    fn put_back(&mut self, rest: Rest) {
        let Some(piece) = self.pieces.front_mut() else { return };
        if !rest.is_empty() {
            piece.rest = Some(rest);
            return;
        }
        if let Some(first) = rest.reached() {
            let ring = ring(&self.client.session.get_cluster_state());
            self.further = Some(Further { ranges: Ranges::after(first, rest.bytes_read(), ring), like: rest });
        } else if let (Some(further), Some(range)) = (&mut self.further, piece.range) {
            further.ranges.learn(range, rest.bytes_read());
            further.like = rest;
        }
        self.pieces.pop_front();
        self.ahead = (self.ahead * 2).min(RANGES_AHEAD);
    }

    /// Ends all that is under way.
    fn stop(&mut self) {
        self.further = None;
        for piece in self.pieces.drain(..) {
            if let Some(fetching) = piece.fetching {
                fetching.abort();
            }
        }
    }
}

impl Cursor for PageCursor {
    fn next(&mut self) -> Result<Option<Entry<'_>>, KvError> {
        if self.at >= self.page.rows.len() && !self.turn()? {
            return Ok(None);
        }
        if self.at == self.page.rows.len() / 2 {
            self.fetch_next();
            self.fetch_ahead();
        }
        let at = self.at;
        self.at += 1;
        Ok(self.page.entry(at))
    }
}

impl Drop for PageCursor {
    fn drop(&mut self) {
        self.stop();
    }
}
