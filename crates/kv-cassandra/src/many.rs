//! The rows of many partitions: several share a request as long as they have few rows.
//!
//! A request costs a node and this process more than the few rows of most partitions, so that the first rows of some
//! partitions of the same node are asked for at once. Of those that have more rows, or had no room in the page, a
//! cursor each reads the rest, and fewer of the next ones share a request.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kv::{Cursor, Entry, KvError, Partitions, TableId};
use scylla::response::{PagingState, PagingStateResponse};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::client::Client;
use crate::cursor::PageCursor;
use crate::error::unexpected;
use crate::limits::{
    FIRST_PAGE_ROWS, GROUP_ROWS, PARTITIONS_AHEAD, PARTITIONS_PER_REQUEST, REQUESTS_AHEAD, SCAN_AHEAD_BYTES,
};
use crate::page::{From, Page, Rest, Source};
use crate::ranges::token_of;
use crate::statements::Ask;

const WHAT: &str = "reading rows of several partitions";

/// Partitions that are being read, in order.
pub(crate) struct Scan<'a> {
    client: Arc<Client>,
    runtime: Handle,
    partitions: Partitions<'a>,
    /// Position of the first slot.
    at: usize,
    /// What has been begun to read.
    slots: VecDeque<Slot>,
    /// How many partitions share a request.
    together: usize,
    /// Bytes of pages that several partitions share and that wait to be read.
    held: Arc<AtomicUsize>,
}

/// A partition that is being read.
enum Slot {
    Asked(Rc<Group>),
    Read(Rows),
}

/// Partitions that were asked for together.
struct Group {
    /// Their positions.
    members: Vec<usize>,
    fetching: RefCell<Option<JoinHandle<Result<First, KvError>>>>,
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(fetching) = self.fetching.take() {
            fetching.abort();
        }
    }
}

/// The first rows of some partitions.
struct First {
    page: Page,
    /// What was read of each partition, in the order they were asked for.
    parts: Vec<Part>,
    /// Whether all that was asked for had room in the page, and whether twice as much would have had.
    has_room: bool,
    has_much_room: bool,
}

struct Part {
    /// Its rows in the page.
    rows: Range<usize>,
    /// Where its other rows begin; `None` if there are none.
    further: Option<From>,
}

/// The rows of a partition: those of a page, then those of a cursor.
pub(crate) struct Rows {
    page: Rc<Page>,
    rows: Range<usize>,
    further: Option<Box<PageCursor>>,
}

impl<'a> Scan<'a> {
    /// Begins nothing yet.
    pub(crate) fn new(client: &Arc<Client>, runtime: &Handle, partitions: Partitions<'a>) -> Self {
        Self {
            client: Arc::clone(client),
            runtime: runtime.clone(),
            partitions,
            at: 0,
            slots: VecDeque::new(),
            together: PARTITIONS_PER_REQUEST,
            held: Arc::default(),
        }
    }

    /// The rows of the partition at a position, or of none behind the last one. Positions must grow.
    pub(crate) fn rows(&mut self, at: usize) -> Result<Option<Rows>, KvError> {
        let passed = at.saturating_sub(self.at).min(self.slots.len());
        self.slots.drain(..passed);
        self.at = at;
        self.ask_ahead();
        let Some(slot) = self.slots.front() else { return Ok(None) };
        if let Slot::Asked(group) = slot {
            let group = Rc::clone(group);
            self.load(&group)?;
        }
        self.at += 1;
        match self.slots.pop_front() {
            Some(Slot::Read(rows)) => Ok(Some(rows)),
            _ => Err(KvError::Closed),
        }
    }

    /// Asks for further partitions when half of those asked for have been read.
    fn ask_ahead(&mut self) {
        let most = (self.together * REQUESTS_AHEAD).max(PARTITIONS_AHEAD);
        let first = self.at + self.slots.len();
        // Rows larger than expected must not multiply by the requests.
        let is_full = !self.slots.is_empty() && self.held.load(Ordering::Relaxed) >= SCAN_AHEAD_BYTES;
        if self.slots.len() > most / 2 || is_full || self.partitions.get(first).is_none() {
            return;
        }
        let state = self.client.session.get_cluster_state();
        let mut groups: BTreeMap<(TableId, u128), Vec<usize>> = BTreeMap::new();
        let mut asked: Vec<Option<Slot>> = Vec::new();
        while self.slots.len() + asked.len() < most
            && let Some((table, key)) = self.partitions.get(first + asked.len())
        {
            let at = first + asked.len();
            let place = self.client.place(&state, table, key.as_bytes());
            let group = groups.entry((table, place)).or_default();
            group.push(at);
            asked.push(None);
            if group.len() >= self.together {
                let members = std::mem::take(group);
                self.ask(table, members, place != 0, first, &mut asked);
            }
        }
        for ((table, place), members) in groups.into_iter().filter(|(_, members)| !members.is_empty()) {
            self.ask(table, members, place != 0, first, &mut asked);
        }
        self.slots.extend(asked.into_iter().flatten());
    }

    /// Asks for some partitions of a table. `is_placed`: they are on the same nodes.
    fn ask(&self, table: TableId, members: Vec<usize>, is_placed: bool, first: usize, asked: &mut [Option<Slot>]) {
        let key = |at: usize| self.partitions.get(at).map(|(_, key)| key.as_bytes().to_vec()).unwrap_or_default();
        let mut put = |at: usize, slot: Slot| {
            if let Some(place) = asked.get_mut(at - first) {
                *place = Some(slot);
            }
        };
        if let [at] = *members {
            let further = Some(self.cursor(table, key(at), From::Start, &Page::default()));
            return put(at, Slot::Read(Rows { page: Rc::default(), rows: 0..0, further }));
        }
        let keys: Vec<Vec<u8>> = members.iter().map(|at| key(*at)).collect();
        let (client, held) = (Arc::clone(&self.client), Arc::clone(&self.held));
        let fetching = self.runtime.spawn(async move {
            let mut first = first_rows(&client, table, &keys, is_placed).await?;
            first.page.hold(&client, &held);
            Ok(first)
        });
        let group = Rc::new(Group { members, fetching: RefCell::new(Some(fetching)) });
        group.members.iter().for_each(|at| put(*at, Slot::Asked(Rc::clone(&group))));
    }

    /// The rows of a partition from one on; they are probably as large as those of `page`.
    fn cursor(&self, table: TableId, partition: Vec<u8>, from: From, page: &Page) -> Box<PageCursor> {
        let source = (!partition.is_empty()).then_some(Source::Rows { partition, from, before: None });
        let rest = Rest::new(table, Vec::new(), source).after(page);
        Box::new(PageCursor::start(Arc::clone(&self.client), self.runtime.clone(), rest))
    }

    /// Takes what was asked for together, and begins to read what did not come with it.
    fn load(&mut self, group: &Group) -> Result<(), KvError> {
        let Some(fetching) = group.fetching.take() else { return Err(KvError::Closed) };
        let First { page, parts, has_room, has_much_room } =
            futures::executor::block_on(fetching).unwrap_or(Err(KvError::Closed))?;
        if has_much_room {
            self.together = (self.together * 2).min(PARTITIONS_PER_REQUEST);
        } else if !has_room {
            self.together = (self.together / 2).max(1);
        }
        let page = Rc::new(page);
        for (at, Part { rows, further }) in group.members.iter().zip(parts) {
            // Those before have been passed over.
            let Some(place) = at.checked_sub(self.at) else { continue };
            let further = further.and_then(|from| {
                let (table, key) = self.partitions.get(*at)?;
                Some(self.cursor(table, key.as_bytes().to_vec(), from, &page))
            });
            if let Some(slot) = self.slots.get_mut(place) {
                *slot = Slot::Read(Rows { page: Rc::clone(&page), rows, further });
            }
        }
        Ok(())
    }
}

/// The first rows of some partitions, in one request. `is_placed`: they are on the same nodes.
async fn first_rows(client: &Client, table: TableId, keys: &[Vec<u8>], is_placed: bool) -> Result<First, KvError> {
    let mut names: Vec<&[u8]> = keys.iter().map(Vec::as_slice).filter(|key| !key.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        let parts = keys.iter().map(|_| Part { rows: 0..0, further: None }).collect();
        return Ok(First { page: Page::default(), parts, has_room: true, has_much_room: true });
    }
    let mut statement = client.statement(table, Ask::FirstRows).await?.clone();
    if let Some(name) = names.first().filter(|_| is_placed) {
        statement.set_load_balancing_policy(Some(Arc::new(client.to_replicas(token_of(name)))));
    }
    statement.set_page_size(i32::try_from(GROUP_ROWS).unwrap_or(i32::MAX));
    let values = (&names,);
    let attempt = || client.session.execute_single_page(&statement, &values, PagingState::start());
    let (answer, next) = client.request(WHAT, attempt).await?;
    let rows = answer.into_rows_result().map_err(|error| unexpected(WHAT, &error))?;
    let mut page = Page::default();
    // Those of a partition come one after the other, partitions in an order of the node's choice.
    let mut found: HashMap<&[u8], Range<usize>> = HashMap::new();
    let mut last: Option<(&[u8], usize)> = None;
    for row in rows.rows::<(&[u8], &[u8], Option<&[u8]>)>().map_err(|error| unexpected(WHAT, &error))? {
        let (partition, row, value) = row.map_err(|error| unexpected(WHAT, &error))?;
        let at = page.rows.len();
        match last {
            Some((before, _)) if before == partition => {}
            Some((before, start)) => {
                found.insert(before, start..at);
                last = Some((partition, at));
            }
            None => last = Some((partition, at)),
        }
        page.push(partition, row, value.unwrap_or_default());
    }
    let count = page.rows.len();
    if let Some((partition, start)) = last {
        found.insert(partition, start..count);
    }
    let has_room = matches!(next, PagingStateResponse::NoMorePages);
    let part = |key: &Vec<u8>| match found.get(key.as_slice()) {
        Some(rows) => {
            let may_have_more = rows.len() >= FIRST_PAGE_ROWS || (!has_room && rows.end == count);
            let after = || rows.end.checked_sub(1).map_or(From::Start, |at| From::After(row_of(&page, at)));
            Part { rows: rows.clone(), further: may_have_more.then(after) }
        }
        None => Part { rows: 0..0, further: (!has_room).then_some(From::Start) },
    };
    let parts = keys.iter().map(part).collect();
    Ok(First { page, parts, has_room, has_much_room: has_room && count <= GROUP_ROWS / 2 })
}

fn row_of(page: &Page, at: usize) -> Vec<u8> {
    page.entry(at).map(|entry| entry.key.row().to_vec()).unwrap_or_default()
}

impl Cursor for Rows {
    fn next(&mut self) -> Result<Option<Entry<'_>>, KvError> {
        match self.rows.next() {
            Some(at) => Ok(self.page.entry(at)),
            None => self.further.as_mut().map_or(Ok(None), |further| further.next()),
        }
    }
}
