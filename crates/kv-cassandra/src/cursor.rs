//! Cursors that fetch the next page while the last one is being read.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kv::{Cursor, Entry, Key, KvError};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use crate::client::Client;
use crate::page::{Page, Rest};

type Fetched = Result<(Page, Rest), KvError>;

/// A position in the rows of a scan.
pub(crate) struct PageCursor {
    client: Arc<Client>,
    runtime: Handle,
    page: Page,
    /// The next row of the page.
    at: usize,
    rest: Option<Rest>,
    fetching: Option<JoinHandle<Fetched>>,
}

impl PageCursor {
    /// Begins to fetch the first page.
    pub(crate) fn start(client: Arc<Client>, runtime: Handle, rest: Rest) -> Self {
        let mut cursor = Self { client, runtime, page: Page::default(), at: 0, rest: Some(rest), fetching: None };
        cursor.fetch();
        cursor
    }

    /// Begins to fetch the next page, if there is one and it is not under way.
    fn fetch(&mut self) {
        let Some(mut rest) = self.rest.take_if(|rest| !rest.is_empty()) else { return };
        let client = Arc::clone(&self.client);
        self.fetching = Some(self.runtime.spawn(async move {
            let page = rest.next_page(&client).await?;
            Ok((page, rest))
        }));
    }

    /// Takes the page that is under way; false at the end.
    fn turn(&mut self) -> Result<bool, KvError> {
        self.fetch();
        let Some(fetching) = self.fetching.take() else { return Ok(false) };
        let (page, rest) = match futures::executor::block_on(fetching) {
            Ok(fetched) => fetched?,
            Err(_) => return Err(KvError::Closed),
        };
        self.count(&page);
        self.page = page;
        self.at = 0;
        self.rest = Some(rest);
        Ok(!self.page.rows.is_empty())
    }

    /// Keeps the figure of bytes held: those of the new page instead of the last one's.
    fn count(&self, new: &Page) {
        let figure = &self.client.figures.page_bytes;
        figure.fetch_add(new.bytes.capacity() as u64, Ordering::Relaxed);
        figure.fetch_sub(self.page.bytes.capacity() as u64, Ordering::Relaxed);
    }
}

impl Cursor for PageCursor {
    fn next(&mut self) -> Result<Option<Entry<'_>>, KvError> {
        if self.at >= self.page.rows.len() && !self.turn()? {
            return Ok(None);
        }
        if self.at == self.page.rows.len() / 2 {
            self.fetch();
        }
        let at = self.at;
        self.at += 1;
        Ok(self.page.rows.get(at).map(|span| Entry {
            key: Key::new(
                self.page.bytes.get(span.start..span.key_end).unwrap_or_default(),
                span.partition_end - span.start,
            ),
            value: self.page.bytes.get(span.key_end..span.value_end).unwrap_or_default(),
        }))
    }
}

impl Drop for PageCursor {
    fn drop(&mut self) {
        self.count(&Page::default());
        if let Some(fetching) = &self.fetching {
            fetching.abort();
        }
    }
}
