//! The log of a store, put into the repository while the store is written to.
//!
//! A thread reads what was written since it last looked, and adds it to the repository as a segment. Where the log has
//! a hole, because rows went around it, because too much had to wait for a repository that could not be reached, or
//! because the store was opened by another program meanwhile, the timeline ends with the reason, another one begins,
//! and a backup is started for it to follow.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use backup::{End, Fork, NewSegment, Repository, Timeline};
use graph_model::TaskStatus;
use kv::{Engine, KvError, LogEnd, WriteLog};

use crate::NoBackup;
use crate::service::{Backups, Started};

/// Bytes of records after which a segment ends.
const SEGMENT_BYTES: u64 = 8 << 20;
/// How often a log that nothing is written to is said to be idle.
const IDLE: Duration = Duration::from_secs(60);
/// How often the log may seem not to go on, before that counts as a hole.
const STUCK_MAX: u32 = 10;
/// Pause after a backup that failed, before another one is started.
const BASE_PAUSE: Duration = Duration::from_secs(60);

/// How a log is archived.
#[derive(Clone, Copy, Debug)]
pub struct ArchiveOptions {
    /// How often what was written is put into the repository.
    pub interval: Duration,
    /// Bytes of files of the log that wait for that at most.
    pub queue_bytes_max: u64,
}

/// The thread that archives. Dropping it archives what is there once more, and ends it.
pub struct Archiver {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Archiver {
    /// Starts it for the store that the backups are of.
    ///
    /// # Errors
    /// [`NoBackup::Engine`] for an engine that keeps no log, or if the thread cannot be started.
    pub fn start(backups: &Arc<Backups>, options: ArchiveOptions) -> Result<Self, NoBackup> {
        let store = backups.store()?;
        if store.engine().log().is_none() {
            let engine = store.engine().name();
            return Err(NoBackup::Engine(KvError::Unsupported { engine, operation: "keeping its log" }));
        }
        drop(store);
        let (stop, stopped) = channel();
        let work = Work { backups: Arc::clone(backups), options, repository: None, open: None, base: None };
        let thread = std::thread::Builder::new().name("backup-log".to_owned()).spawn(move || work.run(&stopped));
        let thread = thread.map_err(|error| {
            NoBackup::Engine(KvError::Io { action: "starting the thread that archives", detail: error.to_string() })
        })?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Archiver {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that archives the log panicked; what was written since is not archived");
        }
    }
}

struct Work {
    backups: Arc<Backups>,
    options: ArchiveOptions,
    repository: Option<Repository>,
    open: Option<Open>,
    base: Option<Base>,
}

/// The timeline that is being written.
struct Open {
    id: String,
    /// The number of the last write that is in the repository.
    archived: u64,
    /// The latest moment that a record has named.
    moment_ms: i64,
    /// Why nothing can follow in it.
    broken: Option<String>,
    stuck: u32,
    idle_told: Instant,
}

/// A backup that a timeline needs.
struct Base {
    started: Option<Started>,
    next: Instant,
}

impl Work {
    fn run(mut self, stopped: &Receiver<()>) {
        threads::run_anywhere();
        let (mut is_failing, mut is_last) = (false, false);
        loop {
            match self.step(is_last) {
                Ok(()) if is_failing => {
                    is_failing = false;
                    tracing::info!("the log is archived again");
                }
                Ok(()) => {}
                Err(error) => {
                    self.backups.log.failures.fetch_add(1, Ordering::Relaxed);
                    if !is_failing {
                        tracing::warn!(%error, "the log cannot be archived; it is tried again until it can");
                    }
                    is_failing = true;
                }
            }
            if is_last {
                return;
            }
            is_last = stopped.recv_timeout(self.options.interval) != Err(RecvTimeoutError::Timeout);
        }
    }

    /// Archives what there is.
    fn step(&mut self, is_last: bool) -> Result<(), NoBackup> {
        let store = self.backups.store()?;
        let engine = store.engine();
        let log = engine.log().ok_or(KvError::Unsupported { engine: engine.name(), operation: "keeping its log" })?;
        // Whatever else fails: the disk is not filled.
        let read = self.open.as_ref().map_or(0, |open| open.archived);
        let waiting = log.release(read, self.options.queue_bytes_max)?;
        self.backups.log.waiting_bytes.store(waiting, Ordering::Relaxed);
        let repository = match self.repository.take() {
            Some(repository) => repository,
            None => self.backups.repository(true)?,
        };
        let outcome = self.archive(engine, log, &repository, is_last);
        self.repository = Some(repository);
        outcome?;
        if !is_last {
            self.see_to_base();
        }
        Ok(())
    }

    fn archive(
        &mut self,
        engine: &dyn Engine,
        log: &dyn WriteLog,
        repository: &Repository,
        is_last: bool,
    ) -> Result<(), NoBackup> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => self.begin(log, repository)?,
        };
        let outcome = self.read(engine, log, repository, &mut open, is_last);
        self.open = Some(open);
        outcome
    }

    fn read(
        &self,
        engine: &dyn Engine,
        log: &dyn WriteLog,
        repository: &Repository,
        open: &mut Open,
        is_last: bool,
    ) -> Result<(), NoBackup> {
        loop {
            if let Some(reason) = open.broken.clone() {
                self.begin_again(log, repository, open, &reason)?;
            }
            let state = &self.backups.log;
            // Whatever is acknowledged before this is done before the numbers are looked at.
            let now = now_ms();
            if log.last() <= open.archived {
                if is_last || open.idle_told.elapsed() >= IDLE {
                    repository.log_is_idle(&open.id, open.archived, now)?;
                    open.idle_told = Instant::now();
                }
                state.until_ms.store(now, Ordering::Relaxed);
                return Ok(());
            }
            // What a power failure could take away again is not archived.
            engine.sync()?;
            let mut new = NewSegment::default();
            let (mut broken, mut moment) = (None, open.moment_ms);
            let end = log.read(open.archived, SEGMENT_BYTES, &mut |record| {
                if broken.is_some() {
                    return;
                }
                let latest = record.moment_ms.unwrap_or(moment).max(moment);
                if record.breaks {
                    moment = latest;
                    broken = Some("rows were added around the log (an offline load, a copy or a restore)".to_owned());
                } else if let Err(error) = new.push(record.first, record.last, record.moment_ms, record.bytes) {
                    broken = Some(error.to_string());
                } else {
                    moment = latest;
                }
            })?;
            let until = if end == LogEnd::Done && broken.is_none() { now } else { moment };
            let bytes = repository.add_segment(&open.id, &new, until)?;
            state.archived_bytes.fetch_add(bytes, Ordering::Relaxed);
            open.moment_ms = moment;
            if let Some(last) = new.last() {
                (open.archived, open.stuck) = (last, 0);
                open.idle_told = Instant::now();
                state.until_ms.fetch_max(until, Ordering::Relaxed);
                let waiting = log.release(open.archived, self.options.queue_bytes_max)?;
                state.waiting_bytes.store(waiting, Ordering::Relaxed);
            }
            match end {
                _ if broken.is_some() => open.broken = broken,
                LogEnd::Done => return Ok(()),
                LogEnd::More => {}
                LogEnd::Gap(found) => {
                    let (from, to) = (open.archived.saturating_add(1), found.saturating_sub(1));
                    open.broken = Some(format!("writes {from} to {to} are not in the store's log any more"));
                }
                LogEnd::Stuck => {
                    open.stuck += 1;
                    if open.stuck < STUCK_MAX {
                        return Ok(());
                    }
                    open.broken = Some(format!("the store's log cannot be read after write {}", open.archived));
                }
            }
        }
    }

    /// Begins a timeline: it continues the one that the store was in before, if there is no hole between.
    fn begin(&mut self, log: &dyn WriteLog, repository: &Repository) -> Result<Open, NoBackup> {
        let mut parent = None;
        let mut has_base = false;
        if let Some(mark) = log.mark()? {
            let logs = repository.logs()?;
            let before = logs.iter().find(|before| before.id == mark && before.end.is_none());
            if let Some(before) = before.filter(|before| before.timeline.is_ok()) {
                // After a power failure the store may have less than the repository.
                let sequence = before.reached().min(log.opened_at());
                parent = Some(Fork { timeline: mark.clone(), sequence, store_had: log.opened_at() });
                let mut family = vec![mark];
                while let Some(id) = family.last().and_then(|last| {
                    let log = logs.iter().find(|log| log.id == *last)?;
                    log.timeline.as_ref().ok()?.parent.as_ref().map(|parent| parent.timeline.clone())
                }) {
                    if family.contains(&id) {
                        break;
                    }
                    family.push(id);
                }
                let listed = repository.list()?;
                let positions = listed.iter().filter_map(|listed| listed.manifest.as_ref().ok()?.log.as_ref());
                // A backup may hold what the store has lost.
                let is_whole = sequence == before.reached();
                has_base = is_whole && positions.into_iter().any(|position| family.contains(&position.timeline));
            }
        }
        let start = parent.as_ref().map_or_else(|| log.last(), |parent| parent.sequence);
        let timeline = Timeline::begun(now_ms(), start, parent)?;
        let open = self.opened(log, repository, &timeline)?;
        if has_base {
            self.backups.log.has_base(timeline.id);
        }
        Ok(open)
    }

    fn opened(&self, log: &dyn WriteLog, repository: &Repository, timeline: &Timeline) -> Result<Open, NoBackup> {
        repository.begin_timeline(timeline)?;
        log.set_mark(&timeline.id)?;
        tracing::info!(
            timeline = timeline.id,
            continues = timeline.parent.as_ref().map(|parent| parent.timeline.as_str()),
            after = timeline.start,
            "archives the log"
        );
        *self.backups.log.timeline.lock() = Some(timeline.id.clone());
        Ok(Open {
            id: timeline.id.clone(),
            archived: timeline.start,
            moment_ms: 0,
            broken: None,
            stuck: 0,
            idle_told: Instant::now(),
        })
    }

    /// Ends a timeline with a hole behind it, and begins another one behind the hole.
    fn begin_again(
        &self,
        log: &dyn WriteLog,
        repository: &Repository,
        open: &mut Open,
        reason: &str,
    ) -> Result<(), NoBackup> {
        let (sequence, until_ms) = (open.archived, open.moment_ms);
        let end = End { sequence, at_ms: now_ms(), until_ms, reason: reason.to_owned() };
        repository.end_timeline(&open.id, &end)?;
        tracing::warn!(
            timeline = open.id,
            reason,
            "the archived log has a hole: nothing between here and the next backup can be restored to a moment"
        );
        let timeline = Timeline::begun(now_ms(), log.last(), None)?;
        *open = self.opened(log, repository, &timeline)?;
        self.backups.log.breaks.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Starts a backup where the timeline has none to follow.
    fn see_to_base(&mut self) {
        let Some(open) = &self.open else { return };
        if self.backups.log.based.lock().as_ref() == Some(&open.id) {
            self.base = None;
            return;
        }
        let base = self.base.get_or_insert_with(|| Base { started: None, next: Instant::now() });
        if let Some(started) = &base.started {
            match self.backups.status(started) {
                Some(status) if !status.is_final() => return,
                // Of a timeline that has ended since, or that failed: the task says why.
                status => {
                    base.started = None;
                    let pause = if status == Some(TaskStatus::Success) { Duration::ZERO } else { BASE_PAUSE };
                    base.next = Instant::now() + pause;
                }
            }
        }
        if Instant::now() < base.next {
            return;
        }
        match self.backups.start_create(false) {
            Ok(started) => base.started = Some(started),
            Err(error) => {
                tracing::warn!(%error, "the backup that the archived log needs cannot be started");
                base.next = Instant::now() + BASE_PAUSE;
            }
        }
    }
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    i64::try_from(since).unwrap_or(i64::MAX)
}
