//! Reading a file and building its elements, on a blocking thread; batches go out through a channel of fixed length, so
//! a slow server slows reading down.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex};

use api_client::ElementKind;
use tokio::sync::mpsc::Sender;

use crate::builder::Builder;
use crate::error::LoadError;
use crate::insert::{Batch, Ready};
use crate::limits::BATCH_BYTES_MAX;
use crate::mapping::Input;
use crate::reader::{Names, Record, RecordReader};
use crate::rejects::Rejection;

/// One file to read in one phase.
pub(crate) struct FileJob {
    pub(crate) struct_index: usize,
    pub(crate) path: Arc<Path>,
    /// Its size on disk.
    pub(crate) bytes: u64,
    pub(crate) input: Arc<Input>,
    pub(crate) header: Option<Names>,
    pub(crate) kind: ElementKind,
    pub(crate) makers: Vec<Maker>,
    /// Which entry of the summary counts its lines, where each line is an element and there are no makers.
    pub(crate) elements: Option<usize>,
    /// Report rows that cannot be read; false when another phase has done so already.
    pub(crate) reports_unreadable: bool,
}

/// One mapping of a job.
pub(crate) struct Maker {
    /// Which entry of the summary its elements belong to.
    pub(crate) label: usize,
    pub(crate) repeatable: bool,
    pub(crate) builder: Builder,
}

/// A report of a thread.
pub(crate) enum Event {
    Batch(Batch),
    /// A row is left out; `label` is absent if it could not even be read.
    Rejected {
        label: Option<usize>,
        struct_index: usize,
        rejection: Rejection,
    },
    /// Bytes taken from the disk since the last time.
    Bytes(u64),
    /// Rows read, and rows that make nothing, of one label in one file.
    Rows {
        label: usize,
        read: u64,
        skipped: u64,
    },
    Failed(LoadError),
}

/// The receiver is gone: the load has ended.
struct Stopped;

/// Processes jobs until there are none left.
pub(crate) fn work(jobs: &Mutex<VecDeque<FileJob>>, batch_size: usize, events: &Sender<Event>) {
    loop {
        let job = match jobs.lock() {
            Ok(mut jobs) => jobs.pop_front(),
            Err(poisoned) => poisoned.into_inner().pop_front(),
        };
        let Some(job) = job else { return };
        let path = Arc::clone(&job.path);
        match Parser::new(job, batch_size, events).and_then(|mut parser| parser.run()) {
            Ok(Ok(())) => {}
            Ok(Err(Stopped)) => return,
            Err(error) => {
                // Without a receiver the load has already failed.
                drop(events.blocking_send(Event::Failed(LoadError::file("read", &path, error))));
                return;
            }
        }
    }
}

struct Parser<'a> {
    job: FileJob,
    reader: RecordReader,
    outputs: Vec<Output>,
    batch_size: usize,
    bytes_told: u64,
    events: &'a Sender<Event>,
}

#[derive(Default)]
struct Output {
    elements: Vec<Ready>,
    bytes: usize,
    read: u64,
    skipped: u64,
}

impl<'a> Parser<'a> {
    fn new(job: FileJob, batch_size: usize, events: &'a Sender<Event>) -> std::io::Result<Self> {
        let reader = RecordReader::open(&job.path, &job.input, job.header.clone())?;
        let outputs = job.makers.iter().map(|_| Output::default()).collect();
        Ok(Self { job, reader, outputs, batch_size, bytes_told: 0, events })
    }

    fn run(&mut self) -> std::io::Result<Result<(), Stopped>> {
        while let Some(row) = self.reader.next()? {
            let sent = match row {
                Ok(record) => self.record(&record),
                Err(bad) if self.job.reports_unreadable => {
                    let file = Arc::clone(&self.job.path);
                    self.reject(None, Rejection { file, line: bad.line, reason: bad.reason, raw: bad.raw })
                }
                Err(_) => Ok(()),
            };
            if sent.is_err() {
                return Ok(Err(Stopped));
            }
        }
        Ok(self.finish())
    }

    fn record(&mut self, record: &Record) -> Result<(), Stopped> {
        for index in 0..self.job.makers.len() {
            let (Some(maker), Some(output)) = (self.job.makers.get_mut(index), self.outputs.get_mut(index)) else {
                continue;
            };
            output.read += 1;
            match maker.builder.build(record) {
                Ok(elements) => {
                    output.skipped += u64::from(elements.is_empty());
                    for json in elements {
                        output.bytes += json.len() + record.raw.len();
                        output.elements.push(Ready { json, line: record.line, raw: Arc::clone(&record.raw) });
                    }
                    self.flush_full(index)?;
                }
                Err(reason) => {
                    let label = maker.label;
                    let file = Arc::clone(&self.job.path);
                    let rejection = Rejection { file, line: record.line, reason, raw: Arc::clone(&record.raw) };
                    self.reject(Some(label), rejection)?;
                }
            }
        }
        Ok(())
    }

    /// Sends full batches of one mapping. An unfolded row can bring more elements than a batch holds.
    fn flush_full(&mut self, index: usize) -> Result<(), Stopped> {
        while let Some(output) = self.outputs.get_mut(index)
            && (output.elements.len() >= self.batch_size || output.bytes >= BATCH_BYTES_MAX)
        {
            let rest = output.elements.split_off(output.elements.len().min(self.batch_size));
            let full = std::mem::replace(&mut output.elements, rest);
            output.bytes = output.elements.iter().map(|e| e.json.len() + e.raw.len()).sum();
            self.send_batch(index, full)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Stopped> {
        for index in 0..self.job.makers.len() {
            let (Some(maker), Some(output)) = (self.job.makers.get(index), self.outputs.get_mut(index)) else {
                continue;
            };
            let rows = Event::Rows { label: maker.label, read: output.read, skipped: output.skipped };
            let rest = std::mem::take(&mut output.elements);
            if !rest.is_empty() {
                self.send_batch(index, rest)?;
            }
            self.tell(rows)?;
        }
        self.tell_bytes()
    }

    fn send_batch(&mut self, index: usize, elements: Vec<Ready>) -> Result<(), Stopped> {
        let Some(maker) = self.job.makers.get(index) else { return Ok(()) };
        let batch = Batch {
            kind: self.job.kind,
            label: maker.label,
            struct_index: self.job.struct_index,
            file: Arc::clone(&self.job.path),
            repeatable: maker.repeatable,
            elements,
        };
        self.tell(Event::Batch(batch))?;
        self.tell_bytes()
    }

    fn reject(&self, label: Option<usize>, rejection: Rejection) -> Result<(), Stopped> {
        self.tell(Event::Rejected { label, struct_index: self.job.struct_index, rejection })
    }

    fn tell_bytes(&mut self) -> Result<(), Stopped> {
        let bytes = self.reader.bytes_read();
        let more = bytes.saturating_sub(self.bytes_told);
        self.bytes_told = bytes;
        self.tell(Event::Bytes(more))
    }

    fn tell(&self, event: Event) -> Result<(), Stopped> {
        self.events.blocking_send(event).map_err(|_| Stopped)
    }
}
