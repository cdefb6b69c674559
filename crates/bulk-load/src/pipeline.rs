//! Drives one phase: threads that parse, a bounded channel, a bounded number of concurrent requests, and one place that
//! counts, writes rejects and notifies the observer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use api_client::Client;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::error::LoadError;
use crate::insert::{InsertFailed, Inserted, insert};
use crate::limits::PARSE_THREADS_MAX;
use crate::options::LoadOptions;
use crate::parse::{Event, FileJob, work};
use crate::progress::LoadObserver;
use crate::rejects::{Rejection, Rejects};
use crate::summary::LabelSummary;

/// Totals over all phases.
pub(crate) struct Ledger<'a> {
    pub(crate) labels: Vec<LabelSummary>,
    pub(crate) rows_unreadable: u64,
    /// Bytes of sources read.
    pub(crate) bytes_read: u64,
    /// Batches the server took only in parts.
    pub(crate) batches_too_big: u64,
    pub(crate) rejects: Rejects,
    pub(crate) rejects_max: Option<u64>,
    pub(crate) observer: &'a dyn LoadObserver,
}

impl Ledger<'_> {
    fn reject(&mut self, label: Option<usize>, struct_index: usize, rejection: &Rejection) -> Result<(), LoadError> {
        match label.and_then(|index| self.labels.get_mut(index)) {
            Some(label) => label.rejected += 1,
            None => self.rows_unreadable += 1,
        }
        self.observer.rejected(1);
        self.rejects.write(struct_index, rejection)
    }

    fn inserted(&mut self, done: &Inserted) -> Result<(), LoadError> {
        if let Some(label) = self.labels.get_mut(done.label) {
            label.inserted += done.inserted;
        }
        self.batches_too_big += u64::from(done.too_big);
        self.observer.inserted(done.inserted);
        for rejection in &done.rejected {
            self.reject(Some(done.label), done.struct_index, rejection)?;
        }
        self.check_rejects()
    }

    fn check_rejects(&self) -> Result<(), LoadError> {
        let rejected = self.labels.iter().map(|label| label.rejected).sum::<u64>() + self.rows_unreadable;
        match self.rejects_max {
            Some(rejects_max) if rejected > rejects_max => Err(LoadError::TooManyRejects {
                rejected,
                rejects_max,
                inserted: self.labels.iter().map(|label| label.inserted).sum(),
                rejects_dir: self.rejects.dir().to_owned(),
            }),
            _ => Ok(()),
        }
    }
}

type Inserts = JoinSet<Result<Inserted, Box<InsertFailed>>>;

/// Reads the files of a phase and inserts what they give. Returns early on the first error that is not a bad row.
pub(crate) async fn run_phase(
    client: &Client,
    options: &LoadOptions,
    jobs: VecDeque<FileJob>,
    ledger: &mut Ledger<'_>,
) -> Result<(), LoadError> {
    let (sender, mut events) = mpsc::channel(options.in_flight);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(PARSE_THREADS_MAX).min(jobs.len());
    let jobs = Arc::new(Mutex::new(jobs));
    let mut parsers = JoinSet::new();
    for _ in 0..threads {
        let (jobs, sender, batch_size) = (Arc::clone(&jobs), sender.clone(), options.batch_size);
        parsers.spawn_blocking(move || work(&jobs, batch_size, &sender));
    }
    drop(sender);
    let mut inserts: Inserts = JoinSet::new();
    let mut parsing = true;
    loop {
        tokio::select! {
            Some(done) = inserts.join_next() => insert_ended(done, ledger)?,
            event = events.recv(), if parsing && inserts.len() < options.in_flight => match event {
                Some(event) => handle(event, client, options, &mut inserts, ledger)?,
                None => parsing = false,
            },
            else => break,
        }
    }
    while let Some(ended) = parsers.join_next().await {
        // A thread that panicked has closed its channel like one that was done: the load must not look complete.
        ended.map_err(|error| LoadError::Defect { place: "a parser thread", reason: error.to_string() })?;
    }
    Ok(())
}

fn handle(
    event: Event,
    client: &Client,
    options: &LoadOptions,
    inserts: &mut Inserts,
    ledger: &mut Ledger<'_>,
) -> Result<(), LoadError> {
    match event {
        Event::Batch(batch) if options.dry_run => ledger.inserted(&Inserted {
            label: batch.label,
            struct_index: batch.struct_index,
            inserted: batch.elements.len() as u64,
            rejected: Vec::new(),
            too_big: false,
        }),
        Event::Batch(batch) => {
            let (client, check_vertex) = (client.clone(), options.check_vertex);
            inserts.spawn(async move { insert(&client, &batch, check_vertex).await });
            Ok(())
        }
        Event::Rejected { label, struct_index, rejection } => {
            ledger.reject(label, struct_index, &rejection)?;
            ledger.check_rejects()
        }
        Event::Bytes(bytes) => {
            ledger.bytes_read += bytes;
            ledger.observer.bytes_read(bytes);
            Ok(())
        }
        Event::Rows { label, read, skipped } => {
            if let Some(label) = ledger.labels.get_mut(label) {
                label.read += read;
                label.skipped += skipped;
            }
            Ok(())
        }
        Event::Failed(error) => Err(error),
    }
}

fn insert_ended(
    done: Result<Result<Inserted, Box<InsertFailed>>, tokio::task::JoinError>,
    ledger: &mut Ledger<'_>,
) -> Result<(), LoadError> {
    match done {
        Ok(Ok(done)) => ledger.inserted(&done),
        Ok(Err(failed)) => {
            let InsertFailed { doing, source, done } = *failed;
            ledger.inserted(&done)?;
            Err(LoadError::Server { doing, source })
        }
        Err(error) => Err(LoadError::Defect { place: "an insert task", reason: error.to_string() }),
    }
}
