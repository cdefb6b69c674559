//! Rows in pages: what a scan still has to ask for, and what it has.

use std::collections::VecDeque;

use kv::{KvError, TableId};
use scylla::response::query_result::QueryResult;
use scylla::response::{PagingState, PagingStateResponse};
use scylla::serialize::row::SerializeRow;

use crate::client::Client;
use crate::error::unexpected;
use crate::limits::{FIRST_PAGE_ROWS, PAGE_BYTES, PAGE_ROWS};
use crate::statements::Ask;

const WHAT: &str = "reading rows";

/// Rows, one after the other in one run of bytes: partition, row, value.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) bytes: Vec<u8>,
    pub(crate) rows: Vec<Span>,
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
    fn push(&mut self, partition: &[u8], row: &[u8], value: &[u8]) {
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
    /// All partitions, in the order of their tokens, after a token.
    Partitions { after: Option<i64> },
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
}

impl Rest {
    pub(crate) fn new(table: TableId, prefix: Vec<u8>, sources: impl IntoIterator<Item = Source>) -> Self {
        let sources = sources.into_iter().collect();
        Self { table, prefix, sources, paging: PagingState::start(), page_rows: FIRST_PAGE_ROWS }
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
                Source::Partitions { after } => self.rows_of_partitions(client, *after, &mut page).await?,
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

    async fn rows_of_partitions(
        &mut self,
        client: &Client,
        after: Option<i64>,
        page: &mut Page,
    ) -> Result<PagingStateResponse, KvError> {
        let (answer, next) = match after {
            None => self.ask(client, Ask::All, &()).await?,
            Some(token) => self.ask(client, Ask::AllAfter, &(token,)).await?,
        };
        let rows = answer.into_rows_result().map_err(|error| unexpected(WHAT, &error))?;
        self.adapt(rows.rows_num(), rows.rows_bytes_size());
        for row in rows.rows::<(&[u8], &[u8], Option<&[u8]>)>().map_err(|error| unexpected(WHAT, &error))? {
            let (partition, row, value) = row.map_err(|error| unexpected(WHAT, &error))?;
            if partition.starts_with(&self.prefix) {
                page.push(partition, row, value.unwrap_or_default());
            }
        }
        Ok(next)
    }

    async fn ask(
        &self,
        client: &Client,
        ask: Ask,
        values: &impl SerializeRow,
    ) -> Result<(QueryResult, PagingStateResponse), KvError> {
        let mut statement = client.statement(self.table, ask).await?.clone();
        statement.set_page_size(i32::try_from(self.page_rows).unwrap_or(i32::MAX));
        client.request(WHAT, || client.session.execute_single_page(&statement, values, self.paging.clone())).await
    }

    /// As many rows for the next page as have the bytes it aims at, if they are like the last ones; at most four times as many.
    fn adapt(&mut self, rows: usize, bytes: usize) {
        let fitting = PAGE_BYTES.checked_div(bytes / rows.max(1)).unwrap_or(usize::MAX);
        self.page_rows = fitting.min(self.page_rows.saturating_mul(4)).clamp(*PAGE_ROWS.start(), *PAGE_ROWS.end());
    }
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

/// The token of a partition: its place in the order of partitions.
pub(crate) async fn token(client: &Client, table: TableId, partition: &[u8]) -> Result<i64, KvError> {
    const WHAT: &str = "the token of a partition";
    let statement = client.statement(table, Ask::Rows).await?;
    match statement.calculate_token(&(partition,)) {
        Ok(Some(token)) => Ok(token.value()),
        Ok(None) => Err(unexpected(WHAT, &"the statement names no partition key")),
        Err(error) => Err(unexpected(WHAT, &error)),
    }
}

/// Calls `found` with each partition of a table, a page at a time.
pub(crate) async fn partitions(
    client: &Client,
    table: TableId,
    mut found: impl AsyncFnMut(Vec<Vec<u8>>) -> Result<(), KvError>,
) -> Result<(), KvError> {
    let mut statement = client.statement(table, Ask::Partitions).await?.clone();
    statement.set_page_size(i32::try_from(*PAGE_ROWS.end()).unwrap_or(i32::MAX));
    let mut paging = PagingState::start();
    loop {
        let attempt = || client.session.execute_single_page(&statement, (), paging.clone());
        let (answer, next) = client.request(WHAT, attempt).await?;
        let rows = answer.into_rows_result().map_err(|error| unexpected(WHAT, &error))?;
        let mut page = Vec::with_capacity(rows.rows_num());
        for row in rows.rows::<(&[u8],)>().map_err(|error| unexpected(WHAT, &error))? {
            page.push(row.map_err(|error| unexpected(WHAT, &error))?.0.to_vec());
        }
        found(page).await?;
        match next {
            PagingStateResponse::HasMorePages { state } => paging = state,
            PagingStateResponse::NoMorePages => return Ok(()),
        }
    }
}
