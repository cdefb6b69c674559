//! Rows in pages: what a scan has read and what it still has to read.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::{StreamExt, TryStreamExt, stream};
use kv::{Entry, Key, KvError, TableId};
use scylla::response::query_result::QueryResult;
use scylla::response::{PagingState, PagingStateResponse};
use scylla::routing::Token;
use scylla::serialize::row::SerializeRow;
use scylla::statement::prepared::PreparedStatement;

use crate::client::Client;
use crate::error::unexpected;
use crate::limits::{FIRST_PAGE_ROWS, PAGE_BYTES, PAGE_ROWS, RING_PARTS};
use crate::ranges::{BEFORE_ALL, LAST, TokenRange, token_of};
use crate::statements::Ask;

const WHAT: &str = "reading rows";

/// Rows, one after the other in one run of bytes: partition, row, value.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) bytes: Vec<u8>,
    pub(crate) rows: Vec<Span>,
    /// Counts it among the pages that are in memory.
    held: Option<Held>,
}

/// The memory of a page, counted until it is dropped.
struct Held {
    client: Arc<Client>,
    scan: Arc<AtomicUsize>,
    bytes: usize,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.client.figures.page_bytes.fetch_sub(self.bytes as u64, Ordering::Relaxed);
        self.scan.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Where a row of a page is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) partition_end: usize,
    pub(crate) key_end: usize,
    pub(crate) value_end: usize,
}

impl Page {
    /// Counts its memory from now on, in the figures and in those of its scan.
    pub(crate) fn hold(&mut self, client: &Arc<Client>, scan: &Arc<AtomicUsize>) {
        let bytes = self.bytes.capacity() + self.rows.capacity() * size_of::<Span>();
        client.figures.page_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        scan.fetch_add(bytes, Ordering::Relaxed);
        self.held = Some(Held { client: Arc::clone(client), scan: Arc::clone(scan), bytes });
    }

    /// Keeps only the first rows.
    fn truncate(&mut self, rows: usize) {
        if let Some(first) = self.rows.get(rows) {
            self.bytes.truncate(first.start);
            self.rows.truncate(rows);
        }
    }

    /// A row; `None` behind the last one.
    pub(crate) fn entry(&self, at: usize) -> Option<Entry<'_>> {
        let span = self.rows.get(at)?;
        let key = self.bytes.get(span.start..span.key_end)?;
        let value = self.bytes.get(span.key_end..span.value_end)?;
        Some(Entry { key: Key::new(key, span.partition_end - span.start), value })
    }

    pub(crate) fn push(&mut self, partition: &[u8], row: &[u8], value: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(partition);
        let partition_end = self.bytes.len();
        self.bytes.extend_from_slice(row);
        let key_end = self.bytes.len();
        self.bytes.extend_from_slice(value);
        self.rows.push(Span { start, partition_end, key_end, value_end: self.bytes.len() });
    }
}

/// Rows to ask for.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Rows of a partition, from a bound (inclusive or not) to one (exclusive).
    Rows { partition: Vec<u8>, from: From, before: Option<Vec<u8>> },
    /// All partitions with these tokens, in the order of the tokens.
    Tokens(TokenRange),
    /// The same, of a range that may be large: the first page that has more behind it ends the source, and
    /// [`Rest::reached`] says where.
    Probe(TokenRange),
    /// The partitions that share a token with this one and come after it.
    SameToken { token: i64, after: Vec<u8> },
}

/// Where rows begin.
#[derive(Clone, Debug)]
pub(crate) enum From {
    Start,
    At(Vec<u8>),
    After(Vec<u8>),
}

/// What a scan has left to read.
#[derive(Clone, Debug)]
pub(crate) struct Rest {
    table: TableId,
    /// Partitions that do not begin with it are left out.
    prefix: Vec<u8>,
    sources: VecDeque<Source>,
    paging: PagingState,
    page_rows: usize,
    reached: Option<TokenRange>,
    /// What pages of ranges of tokens held, with what was left out of them.
    bytes_read: u64,
}

impl Rest {
    pub(crate) fn new(table: TableId, prefix: Vec<u8>, sources: impl IntoIterator<Item = Source>) -> Self {
        let sources = sources.into_iter().collect();
        let paging = PagingState::start();
        Self { table, prefix, sources, paging, page_rows: FIRST_PAGE_ROWS, reached: None, bytes_read: 0 }
    }

    /// The same, after a page of rows like its own.
    pub(crate) fn after(mut self, page: &Page) -> Self {
        if !page.rows.is_empty() {
            self.adapt(page.rows.len(), page.bytes.len());
        }
        self
    }

    /// A range of tokens of the same scan.
    pub(crate) fn of_range(&self, range: TokenRange) -> Self {
        let mut rest = Self::new(self.table, self.prefix.clone(), [Source::Tokens(range)]);
        rest.page_rows = self.page_rows;
        rest
    }

    /// What a probe has read; what is behind it is to be read by ranges.
    pub(crate) fn reached(&self) -> Option<TokenRange> {
        self.reached
    }

    /// Bytes that were read from ranges of tokens.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// The next page that has rows, or an empty one at the end.
    pub(crate) async fn next_page(&mut self, client: &Client) -> Result<Page, KvError> {
        let mut page = Page::default();
        while page.rows.is_empty()
            && let Some(source) = self.sources.front().cloned()
        {
            let next = match &source {
                Source::Rows { partition, from, before } => {
                    self.rows_of(client, partition, from, before.as_deref(), &mut page).await?
                }
                Source::Tokens(range) => self.rows_of_tokens(client, *range, &mut page).await?.next,
                Source::Probe(range) => {
                    let read = self.rows_of_tokens(client, *range, &mut page).await?;
                    self.end_probe(*range, read, &mut page)
                }
                Source::SameToken { token, after } => {
                    let same = partitions_at(client, self.table, *token).await?;
                    self.sources.pop_front();
                    for partition in same.into_iter().filter(|found| found > after).rev() {
                        self.sources.push_front(Source::Rows { partition, from: From::Start, before: None });
                    }
                    continue;
                }
            };
            match next {
                PagingStateResponse::HasMorePages { state } => self.paging = state,
                PagingStateResponse::NoMorePages => {
                    self.sources.pop_front();
                    self.paging = PagingState::start();
                }
            }
        }
        Ok(page)
    }

    async fn rows_of(
        &mut self,
        client: &Client,
        partition: &[u8],
        from: &From,
        before: Option<&[u8]>,
        page: &mut Page,
    ) -> Result<PagingStateResponse, KvError> {
        if !partition.starts_with(&self.prefix) {
            return Ok(PagingStateResponse::NoMorePages);
        }
        let (ask, bounds): (Ask, Vec<&[u8]>) = match (from, before) {
            (From::Start, None) => (Ask::Rows, vec![partition]),
            (From::Start, Some(end)) => (Ask::RowsBefore, vec![partition, end]),
            (From::At(start), None) => (Ask::RowsFrom, vec![partition, start]),
            (From::At(start), Some(end)) => (Ask::RowsFromBefore, vec![partition, start, end]),
            (From::After(start), None) => (Ask::RowsAfter, vec![partition, start]),
            (From::After(start), Some(end)) => (Ask::RowsAfterBefore, vec![partition, start, end]),
        };
        let (answer, next) = self.ask(client, ask, &bounds).await?;
        let rows = answer.into_rows_result().map_err(|error| unexpected(WHAT, &error))?;
        self.adapt(rows.rows_num(), rows.rows_bytes_size());
        for row in rows.rows::<(&[u8], Option<&[u8]>)>().map_err(|error| unexpected(WHAT, &error))? {
            let (row, value) = row.map_err(|error| unexpected(WHAT, &error))?;
            page.push(partition, row, value.unwrap_or_default());
        }
        Ok(next)
    }

    async fn rows_of_tokens(&mut self, client: &Client, range: TokenRange, page: &mut Page) -> Result<Read, KvError> {
        if range.is_empty() {
            return Ok(Read { next: PagingStateResponse::NoMorePages, last_two: None });
        }
        let (answer, next) = self.ask_replicas(client, range).await?;
        let rows = answer.into_rows_result().map_err(|error| unexpected(WHAT, &error))?;
        self.adapt(rows.rows_num(), rows.rows_bytes_size());
        self.bytes_read = self.bytes_read.saturating_add(rows.rows_bytes_size() as u64);
        let mut last: Option<&[u8]> = None;
        let mut last_two = None;
        for row in rows.rows::<(&[u8], &[u8], Option<&[u8]>)>().map_err(|error| unexpected(WHAT, &error))? {
            let (partition, row, value) = row.map_err(|error| unexpected(WHAT, &error))?;
            if let Some(before) = last.filter(|before| *before != partition) {
                last_two = Some((before, partition, page.rows.len()));
            }
            last = Some(partition);
            if partition.starts_with(&self.prefix) {
                page.push(partition, row, value.unwrap_or_default());
            }
        }
        let last_two =
            last_two.map(|(before, last, rows)| LastTwo { before: before.to_vec(), last: last.to_vec(), rows });
        Ok(Read { next, last_two })
    }

    /// Ends a probe before the last token of its page, which may have more rows: ranges continue there. A page of a
    /// single token does not end it.
    fn end_probe(&mut self, range: TokenRange, read: Read, page: &mut Page) -> PagingStateResponse {
        if let (PagingStateResponse::HasMorePages { .. }, Some(two)) = (&read.next, &read.last_two) {
            let upto = token_of(&two.before).value();
            if upto < token_of(&two.last).value() {
                page.truncate(two.rows);
                self.reached = Some(TokenRange { after: range.after, upto });
                return PagingStateResponse::NoMorePages;
            }
        }
        read.next
    }

    async fn ask(
        &self,
        client: &Client,
        ask: Ask,
        values: &impl SerializeRow,
    ) -> Result<(QueryResult, PagingStateResponse), KvError> {
        let statement = client.statement(self.table, ask).await?.clone();
        self.send(client, statement, values).await
    }

    async fn ask_replicas(
        &self,
        client: &Client,
        range: TokenRange,
    ) -> Result<(QueryResult, PagingStateResponse), KvError> {
        let statement = of_range(client, self.table, Ask::Tokens, range).await?;
        self.send(client, statement, &(range.after, range.upto)).await
    }

    async fn send(
        &self,
        client: &Client,
        mut statement: PreparedStatement,
        values: &impl SerializeRow,
    ) -> Result<(QueryResult, PagingStateResponse), KvError> {
        statement.set_page_size(i32::try_from(self.page_rows).unwrap_or(i32::MAX));
        client.request(WHAT, || client.session.execute_single_page(&statement, values, self.paging.clone())).await
    }

    /// As many rows for the next page as have the bytes it aims at, if they are like the last ones; at most four times
    /// as many.
    fn adapt(&mut self, rows: usize, bytes: usize) {
        let fitting = PAGE_BYTES.checked_div(bytes / rows.max(1)).unwrap_or(usize::MAX);
        self.page_rows = fitting.min(self.page_rows.saturating_mul(4)).clamp(*PAGE_ROWS.start(), *PAGE_ROWS.end());
    }
}

/// What the answer to a query for tokens had in addition to its rows.
struct Read {
    next: PagingStateResponse,
    last_two: Option<LastTwo>,
}

/// The last two partitions of a page that has more than one, and how many of its rows come before the last.
struct LastTwo {
    before: Vec<u8>,
    last: Vec<u8>,
    rows: usize,
}

/// A statement about a range of tokens, to be sent to the replicas of its end.
async fn of_range(client: &Client, table: TableId, ask: Ask, range: TokenRange) -> Result<PreparedStatement, KvError> {
    let mut statement = client.statement(table, ask).await?.clone();
    let policy = client.to_replicas(Token::new(range.upto));
    statement.set_load_balancing_policy(Some(Arc::new(policy)));
    Ok(statement)
}

/// All partitions of a table with one token, in order.
async fn partitions_at(client: &Client, table: TableId, token: i64) -> Result<Vec<Vec<u8>>, KvError> {
    let statement = client.statement(table, Ask::PartitionsAt).await?;
    let answer = client.request(WHAT, || client.session.execute_unpaged(statement, (token,))).await?;
    let rows = answer.into_rows_result().map_err(|error| unexpected(WHAT, &error))?;
    let mut all = Vec::new();
    for row in rows.rows::<(&[u8],)>().map_err(|error| unexpected(WHAT, &error))? {
        all.push(row.map_err(|error| unexpected(WHAT, &error))?.0.to_vec());
    }
    all.sort();
    Ok(all)
}

/// Calls `found` with the partitions of a table, a page at a time; some may come twice. Parts of the ring are read at
/// once, where the table has more than a page.
pub(crate) async fn partitions<F>(
    client: &Client,
    table: TableId,
    found: impl Fn(Vec<Vec<u8>>) -> F,
) -> Result<(), KvError>
where
    F: Future<Output = Result<(), KvError>>,
{
    let all = TokenRange { after: BEFORE_ALL, upto: LAST };
    let (page, next) = partitions_of(client, table, all, PagingState::start()).await?;
    let reached = match (&next, page.last()) {
        (PagingStateResponse::HasMorePages { .. }, Some(last)) => Some(token_of(last).value()),
        _ => None,
    };
    found(page).await?;
    // Another partition may share the last one's token.
    let Some(after) = reached.map(|token| token.saturating_sub(1)) else { return Ok(()) };
    let found = &found;
    let parts = TokenRange { after, upto: LAST }.parts(RING_PARTS).into_iter().map(|part| async move {
        let mut paging = PagingState::start();
        loop {
            let (page, next) = partitions_of(client, table, part, paging).await?;
            found(page).await?;
            match next {
                PagingStateResponse::HasMorePages { state } => paging = state,
                PagingStateResponse::NoMorePages => return Ok(()),
            }
        }
    });
    stream::iter(parts).map(Ok::<_, KvError>).try_for_each_concurrent(None, |part| part).await
}

async fn partitions_of(
    client: &Client,
    table: TableId,
    range: TokenRange,
    paging: PagingState,
) -> Result<(Vec<Vec<u8>>, PagingStateResponse), KvError> {
    let mut statement = of_range(client, table, Ask::Partitions, range).await?;
    statement.set_page_size(i32::try_from(*PAGE_ROWS.end()).unwrap_or(i32::MAX));
    let values = (range.after, range.upto);
    let attempt = || client.session.execute_single_page(&statement, values, paging.clone());
    let (answer, next) = client.request(WHAT, attempt).await?;
    let rows = answer.into_rows_result().map_err(|error| unexpected(WHAT, &error))?;
    let mut page = Vec::with_capacity(rows.rows_num());
    for row in rows.rows::<(&[u8],)>().map_err(|error| unexpected(WHAT, &error))? {
        page.push(row.map_err(|error| unexpected(WHAT, &error))?.0.to_vec());
    }
    Ok((page, next))
}
