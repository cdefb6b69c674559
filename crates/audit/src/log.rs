//! The queue of events and the thread that writes them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::{Timestamp, Unit};
use tokio::sync::{mpsc, oneshot};

use crate::event::{Class, Event, Outcome, query_hash};
use crate::file::{AuditFile, Keeping, Record, Stage};
use crate::limits;

/// What is recorded, and where.
#[derive(Clone, Debug)]
pub struct Options {
    /// The file (`audit.file`).
    pub file: PathBuf,
    /// What is recorded (`audit.classes`).
    pub classes: Vec<Class>,
    /// Bytes from which on the file is put aside (`audit.file_bytes_max`).
    pub file_bytes_max: u64,
    /// Files that are kept, with the one that is written (`audit.files_max`).
    pub files_max: usize,
    /// Whether what cannot be recorded is refused (`audit.required`).
    pub is_required: bool,
    /// Whether each line has the hash of the one before it (`audit.chain`).
    pub is_chained: bool,
    /// Whether texts of queries are recorded; otherwise only their hashes are (`audit.query_text`).
    pub has_query_text: bool,
}

/// There is no file to write to.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// It cannot be opened.
    #[error("the file {} (audit.file) cannot be opened for writing: {source}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no thread.
    #[error("the thread that writes audit.file cannot be started: {0}")]
    Thread(std::io::Error),
}

/// A record that is required could not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request is refused because it cannot be recorded (audit.required): {0}; try again when that is mended")]
pub struct Unwritable(pub String);

/// What the thread is told.
enum Message {
    Write { record: Record, told: Option<oneshot::Sender<Result<(), String>>> },
    Flush(oneshot::Sender<()>),
}

struct Log {
    classes: u16,
    is_required: bool,
    has_query_text: bool,
    queue: mpsc::Sender<Message>,
    /// Events that there was no room for, since the last line that says so.
    lost: Arc<AtomicU64>,
}

/// Makes ids of requests.
struct RequestIds {
    /// What those of this process begin with.
    process: u32,
    made: AtomicU64,
}

impl Default for RequestIds {
    fn default() -> Self {
        Self { process: rand::random(), made: AtomicU64::new(0) }
    }
}

/// Records events, or only makes ids of requests. Clones are the same.
#[derive(Clone, Default)]
pub struct Audit(Option<Arc<Log>>, Arc<RequestIds>);

impl std::fmt::Debug for Audit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Audit").field(&self.0.is_some()).finish()
    }
}

impl Audit {
    /// Records nothing.
    #[must_use]
    pub fn off() -> Self {
        Self::default()
    }

    /// Opens the file and starts the thread that writes it.
    ///
    /// # Errors
    /// [`AuditError`].
    pub fn open(options: Options) -> Result<Self, AuditError> {
        let keeping = Keeping {
            path: options.file.clone(),
            bytes_max: options.file_bytes_max,
            files_max: options.files_max,
            is_chained: options.is_chained,
        };
        let file = AuditFile::open(keeping).map_err(|source| AuditError::File { file: options.file, source })?;
        let (queue, messages) = mpsc::channel(limits::EVENTS_WAITING_MAX);
        let lost = Arc::new(AtomicU64::new(0));
        let writer = Writer { file, lost: Arc::clone(&lost), is_broken: false };
        let thread = std::thread::Builder::new().name("audit".to_owned());
        thread.spawn(move || writer.run(messages)).map_err(AuditError::Thread)?;
        let log = Log {
            classes: options.classes.iter().fold(0, |all, class| all | class.bit()),
            is_required: options.is_required,
            has_query_text: options.has_query_text,
            queue,
            lost,
        };
        Ok(Self(Some(Arc::new(log)), Arc::default()))
    }

    /// Whether anything is recorded.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Whether an event of a class may have to be recorded: if not, none needs to be made.
    #[must_use]
    pub fn records(&self, class: Class) -> bool {
        self.0.as_ref().is_some_and(|log| log.classes & (class.bit() | Class::Denied.bit()) != 0)
    }

    /// An id for a request that has none of its own: unlike that of any other, also of other processes.
    #[must_use]
    pub fn request_id(&self) -> String {
        format!("{:08x}-{:x}", self.1.process, self.1.made.fetch_add(1, Ordering::Relaxed))
    }

    /// Notes the query of an event.
    pub fn note_query(&self, event: &mut Event, text: &str) {
        if let Some(log) = &self.0 {
            event.query_sha256 = Some(query_hash(text));
            event.query = log.has_query_text.then(|| text.to_owned());
        }
    }

    /// Says that something is about to happen. Where a record is required, it is in the file when this is done; else
    /// this does nothing.
    ///
    /// # Errors
    /// The record is required and cannot be written: what it is about must not happen.
    pub async fn begin(&self, event: &Event) -> Result<(), Unwritable> {
        let Some(log) = self.0.as_ref().filter(|log| log.is_required && log.has(event.class)) else { return Ok(()) };
        let (tell, told) = oneshot::channel();
        let record = record(event.clone(), Some(Stage::Begun), None);
        let written = async {
            let gone = |_| "the thread that writes has ended".to_owned();
            let message = Message::Write { record, told: Some(tell) };
            log.queue.send(message).await.map_err(|_| "the thread that writes has ended".to_owned())?;
            told.await.map_err(gone)?
        };
        match tokio::time::timeout(limits::WRITE_TIME_MAX, written).await {
            Ok(written) => written.map_err(Unwritable),
            Err(_) => Err(Unwritable(format!("the file was not written to for {:?}", limits::WRITE_TIME_MAX))),
        }
    }

    /// Records how something ended. It never waits: where there is no room, the next line says how many are missing.
    pub fn end(&self, event: Event, outcome: Outcome) {
        let Some(log) = &self.0 else { return };
        let is_chosen = log.has(event.class);
        let is_denied = outcome.is_denied() && log.has(Class::Denied);
        if !(is_chosen || is_denied) {
            return;
        }
        let stage = (log.is_required && is_chosen).then_some(Stage::Done);
        let message = Message::Write { record: record(event, stage, Some(outcome)), told: None };
        if log.queue.try_send(message).is_err() {
            log.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until everything before it is written. For the end of a server.
    pub fn flush_blocking(&self) {
        let Some(log) = &self.0 else { return };
        let (tell, told) = oneshot::channel();
        if log.queue.blocking_send(Message::Flush(tell)).is_ok() {
            // Fails where the thread has ended: then nothing is left to be written.
            drop(told.blocking_recv());
        }
    }
}

impl Log {
    fn has(&self, class: Class) -> bool {
        self.classes & class.bit() != 0
    }
}

fn record(mut event: Event, stage: Option<Stage>, outcome: Option<Outcome>) -> Record {
    event.shorten();
    let now = Timestamp::now();
    let time = now.round(Unit::Millisecond).unwrap_or(now).to_string();
    Record { time, stage, event: Box::new(event), outcome }
}

struct Writer {
    file: AuditFile,
    lost: Arc<AtomicU64>,
    is_broken: bool,
}

impl Writer {
    fn run(mut self, mut messages: mpsc::Receiver<Message>) {
        let mut batch = Vec::with_capacity(limits::EVENTS_AT_ONCE_MAX);
        while messages.blocking_recv_many(&mut batch, limits::EVENTS_AT_ONCE_MAX) > 0 {
            let (mut records, mut waiting, mut flushed) = (Vec::with_capacity(batch.len()), Vec::new(), Vec::new());
            for message in batch.drain(..) {
                match message {
                    Message::Write { record, told } => {
                        records.push(record);
                        waiting.extend(told);
                    }
                    Message::Flush(told) => flushed.push(told),
                }
            }
            let outcome = self.write(&records);
            // Fails where nobody waits any more.
            waiting.into_iter().for_each(|told| drop(told.send(outcome.clone())));
            flushed.into_iter().for_each(|told| {
                let _is_taken: Result<(), ()> = told.send(());
            });
        }
    }

    fn write(&mut self, records: &[Record]) -> Result<(), String> {
        if records.is_empty() {
            return Ok(());
        }
        let lost = self.lost.swap(0, Ordering::Relaxed);
        match self.file.append(records, lost) {
            Ok(()) => {
                if std::mem::take(&mut self.is_broken) {
                    tracing::info!("audit.file is written again");
                }
                Ok(())
            }
            Err(error) => {
                // What was about to happen and was refused is not missing.
                let missing = records.iter().filter(|record| record.stage != Some(Stage::Begun)).count();
                self.lost.fetch_add(lost + missing as u64, Ordering::Relaxed);
                if !std::mem::replace(&mut self.is_broken, true) {
                    tracing::error!(%error, "audit.file cannot be written; events are lost until it can");
                }
                Err(format!("audit.file cannot be written: {error}"))
            }
        }
    }
}
