//! Reading all vertices or edges of the source into files of the work folder: one file for each shard, several shards
//! at a time. A page is in its file, and on disk, before the journal says so; what is behind it is cut off when it goes
//! on.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use api_client::{Client, ClientError, ElementKind, Shard};
use bytes::Bytes;
use tokio::task::JoinSet;

use crate::elements::{Digests, Forms, merge, words};
use crate::error::MigrateError;
use crate::journal::{Journal, Kind, Plan, ShardState, Step};
use crate::limits::{PAGE_BYTES_GOAL, PAGE_ELEMENTS_FIRST, PAGE_ELEMENTS_MAX, PAGE_ELEMENTS_MIN, SHARD_BYTES};
use crate::options::MigrateObserver;

/// The file of a shard.
pub(crate) fn file_of(dir: &Path, kind: ElementKind, shard: usize) -> PathBuf {
    dir.join(format!("{}-{shard:06}.jsonl", words(kind)))
}

/// What all workers share.
pub(crate) struct Shared<'a> {
    pub(crate) client: Client,
    pub(crate) forms: Forms,
    pub(crate) dir: PathBuf,
    pub(crate) journal: Mutex<Journal>,
    pub(crate) observer: &'a dyn MigrateObserver,
    /// Most elements that the source has managed to answer, where it has refused more.
    pub(crate) page_max: AtomicU32,
}

/// What of the source was read, of one kind.
#[derive(Debug, Default)]
pub(crate) struct Fetched {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) digests: Digests,
    pub(crate) without_label: u64,
    /// Why the store of the source was read as one list, where it was.
    pub(crate) listed: Option<String>,
}

impl Shared<'_> {
    pub(crate) fn journal(&self) -> std::sync::MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The parts of a kind, as the journal has them or as the source says now.
    async fn plan(&self, kind: ElementKind) -> Result<(Plan, Option<String>), MigrateError> {
        if let Some(plan) = self.journal().state.plans.get(&Kind::from(kind)) {
            return Ok((plan.clone(), None));
        }
        let (plan, listed) = match self.client.shards(kind, SHARD_BYTES).await {
            Ok(shards) => (Plan { shards, listed: false }, None),
            Err(error @ (ClientError::Refused { .. } | ClientError::NotFound { .. } | ClientError::Server { .. })) => {
                let whole = Shard { start: String::new(), end: String::new(), length: 0 };
                (Plan { shards: vec![whole], listed: true }, Some(error.to_string()))
            }
            Err(source) => return Err(MigrateError::source(format!("reading the shards of {}", words(kind)))(source)),
        };
        self.journal().add(Step::Planned(kind.into(), plan.clone()))?;
        Ok((plan, listed))
    }

    /// Reads a page; asks for fewer elements where the source does not manage so many.
    async fn page(
        &self,
        kind: ElementKind,
        (shard, listed): (&Shard, bool),
        next: Option<&str>,
        limit: &mut u32,
    ) -> Result<Bytes, MigrateError> {
        loop {
            let answer = match listed {
                true => self.client.list_text(kind, *limit, next).await,
                false => self.client.scan(kind, shard, *limit, next).await,
            };
            match answer {
                Ok(text) => return Ok(text),
                Err(error) if *limit > PAGE_ELEMENTS_MIN && is_too_much(&error) => {
                    *limit = (*limit / 4).max(PAGE_ELEMENTS_MIN);
                    self.page_max.fetch_min(*limit, Ordering::Relaxed);
                    tracing::warn!(elements = *limit, "{error}; asking for smaller pages");
                }
                Err(source) => return Err(MigrateError::source(format!("reading {}", words(kind)))(source)),
            }
        }
    }
}

/// Whether fewer elements may succeed.
fn is_too_much(error: &ClientError) -> bool {
    match error {
        ClientError::Timeout { .. } => true,
        _ => error.server_message().is_some_and(|message| message.contains("Too many records")),
    }
}

/// Reads what is missing of a kind.
pub(crate) async fn fetch(
    shared: &Arc<Shared<'static>>,
    kind: ElementKind,
    workers: usize,
) -> Result<Fetched, MigrateError> {
    let (plan, listed) = shared.plan(kind).await?;
    let states: Vec<ShardState> = {
        let journal = shared.journal();
        let of = |at| journal.state.shards.get(&(Kind::from(kind), at)).cloned().unwrap_or_default();
        (0..plan.shards.len()).map(of).collect()
    };
    shared.observer.fetching(kind, states.len(), states.iter().filter(|state| state.done).count());
    let unfinished = states.iter().enumerate().filter(|(_, state)| !state.done);
    let queue: VecDeque<(usize, ShardState)> = unfinished.map(|(at, state)| (at, state.clone())).collect();
    let queue = Arc::new(Mutex::new(queue));
    let plan = Arc::new(plan);
    let mut tasks = JoinSet::new();
    for _ in 0..workers.max(1) {
        let (shared, plan, queue) = (Arc::clone(shared), Arc::clone(&plan), Arc::clone(&queue));
        tasks.spawn(async move {
            let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            while let Some((at, state)) = next() {
                if let Some(shard) = plan.shards.get(at) {
                    read_shard(&shared, kind, (at, shard, plan.listed), state).await?;
                }
            }
            Ok::<(), MigrateError>(())
        });
    }
    while let Some(ended) = tasks.join_next().await {
        // The first failure stops the others: dropping the set aborts them at their next page.
        ended.map_err(|error| MigrateError::Worker(error.to_string()))??;
    }
    let journal = shared.journal();
    let mut fetched = Fetched { listed, ..Fetched::default() };
    for at in 0..plan.shards.len() {
        let Some(state) = journal.state.shards.get(&(Kind::from(kind), at)) else { continue };
        fetched.files.push(file_of(&shared.dir, kind, at));
        merge(&mut fetched.digests, &state.digests);
        fetched.without_label += state.without_label;
    }
    Ok(fetched)
}

async fn read_shard(
    shared: &Arc<Shared<'static>>,
    kind: ElementKind,
    (at, shard, listed): (usize, &Shard, bool),
    mut state: ShardState,
) -> Result<(), MigrateError> {
    let path = file_of(&shared.dir, kind, at);
    let failed = |error| MigrateError::file("write", &path, error);
    let opened = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let mut file = opened.map_err(failed)?;
    file.set_len(state.bytes).map_err(failed)?;
    file.seek(SeekFrom::Start(state.bytes)).map_err(failed)?;
    let mut limit = PAGE_ELEMENTS_FIRST.min(shared.page_max.load(Ordering::Relaxed));
    while !state.done {
        let text = shared.page(kind, (shard, listed), state.next.as_deref(), &mut limit).await?;
        let bytes = text.len();
        let before = state.next.clone();
        let task = {
            let (shared, path) = (Arc::clone(shared), path.clone());
            tokio::task::spawn_blocking(move || take(&shared, kind, at, &text, file, state, &path))
        };
        let elements;
        (file, state, elements) = task.await.map_err(|error| MigrateError::Worker(error.to_string()))??;
        shared.observer.fetched(kind, elements, bytes as u64);
        if state.next.is_some() && state.next == before {
            let reason = "the token of the next page is that of this one".to_owned();
            return Err(MigrateError::Answer { place: format!("a page of {}", words(kind)), reason });
        }
        limit = limit_for(limit, elements, bytes).min(shared.page_max.load(Ordering::Relaxed));
    }
    shared.observer.shard(kind);
    Ok(())
}

/// Writes a page down.
fn take(
    shared: &Shared<'_>,
    kind: ElementKind,
    at: usize,
    text: &[u8],
    mut file: File,
    mut state: ShardState,
    path: &Path,
) -> Result<(File, ShardState, u64), MigrateError> {
    let page = shared.forms.page(kind, text)?;
    let written = file.write_all(&page.lines).and_then(|()| file.sync_data());
    written.map_err(|error| MigrateError::file("write", path, error))?;
    state.bytes += page.lines.len() as u64;
    merge(&mut state.digests, &page.digests);
    state.without_label += page.without_label;
    state.done = page.next.is_none();
    state.next = page.next;
    shared.journal().add(Step::Page(kind.into(), at, state.clone()))?;
    Ok((file, state, page.elements + page.without_label))
}

/// How many elements the next page is asked for, given what this one was: about [`PAGE_BYTES_GOAL`].
fn limit_for(limit: u32, elements: u64, bytes: usize) -> u32 {
    if elements == 0 {
        return limit;
    }
    let goal = elements.saturating_mul(PAGE_BYTES_GOAL as u64) / (bytes as u64).max(1);
    // Not more than four times as many at once: the next elements may be larger.
    let goal = goal.min(u64::from(limit).saturating_mul(4));
    u32::try_from(goal).unwrap_or(u32::MAX).clamp(PAGE_ELEMENTS_MIN, PAGE_ELEMENTS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_approach_their_size() {
        assert_eq!(limit_for(5_000, 5_000, PAGE_BYTES_GOAL), 5_000);
        assert_eq!(limit_for(5_000, 5_000, PAGE_BYTES_GOAL / 2), 10_000);
        assert_eq!(limit_for(5_000, 5_000, 1_000), 20_000, "at most four times as many at once");
        assert_eq!(limit_for(5_000, 5_000, PAGE_BYTES_GOAL * 10), 500);
        assert_eq!(limit_for(5_000, 1, usize::MAX), PAGE_ELEMENTS_MIN);
        assert_eq!(limit_for(5_000, 0, 20), 5_000);
        assert_eq!(limit_for(PAGE_ELEMENTS_MAX, 100_000, 1_000), PAGE_ELEMENTS_MAX);
    }
}
