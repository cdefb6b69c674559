//! What analyses share: their bound of memory, their threads, and the projections that are kept.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use analytics::Run;
use graph_store::{Graph, StoreError};
use parking_lot::{Mutex, MutexGuard};
use rayon::ThreadPool;
use serde_json::{Value as Json, json};

use crate::projection::{Projection, Spec, Wanted, project, too_large};
use crate::request::{Analysis, Work};
use crate::watch::Observer;
use crate::{AnalysisError, limits};

/// How often one that waits for another projection looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(20);

/// What analyses share: their bound of memory, and the projections kept under names.
pub struct JobState {
    bytes_max: u64,
    threads: usize,
    kept: Mutex<BTreeMap<(u32, String), Kept>>,
    /// Bytes of the runs in progress, besides the projections that are kept.
    in_use: Arc<AtomicU64>,
    /// Projections are made one after the other: each reads with all threads, and knows what room there is.
    making: Mutex<()>,
}

struct Kept {
    projection: Arc<Projection>,
    spec: Spec,
    made: Instant,
}

/// Bytes that a run takes, until it is dropped.
pub(crate) struct Reserved {
    bytes: u64,
    in_use: Arc<AtomicU64>,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.in_use.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A projection to work on.
pub(crate) struct Ready {
    pub(crate) projection: Arc<Projection>,
    /// Of the projection, where it is not kept.
    pub(crate) reserved: Option<Reserved>,
}

impl JobState {
    /// With so much memory for projections and runs, and so many threads for each; 0: one for each processor.
    #[must_use]
    pub fn new(bytes_max: u64, threads: usize) -> Self {
        let threads = match threads {
            0 => threads::processors().len().clamp(1, limits::THREADS_MAX),
            given => given.min(limits::THREADS_MAX),
        };
        Self { bytes_max, threads, kept: Mutex::default(), in_use: Arc::default(), making: Mutex::default() }
    }

    /// Bytes that projections and runs may take.
    #[must_use]
    pub fn bytes_max(&self) -> u64 {
        self.bytes_max
    }

    /// Threads of a run.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Bytes that nothing takes now.
    pub(crate) fn free(&self) -> u64 {
        let kept: u64 = self.kept.lock().values().map(|kept| kept.projection.bytes()).sum();
        self.bytes_max.saturating_sub(kept).saturating_sub(self.in_use.load(Ordering::Relaxed))
    }

    /// Takes memory for a part of a run; `what` names it.
    pub(crate) fn reserve(&self, what: &str, bytes: u64) -> Result<Reserved, AnalysisError> {
        // What is kept and the sum of what is in use are looked at together, so that no two get the same room.
        let kept = self.kept.lock();
        let kept: u64 = kept.values().map(|kept| kept.projection.bytes()).sum();
        let room = self.bytes_max.saturating_sub(kept);
        let taken = self.in_use.fetch_add(bytes, Ordering::Relaxed);
        let reserved = Reserved { bytes, in_use: Arc::clone(&self.in_use) };
        let free = room.saturating_sub(taken);
        if bytes > free { Err(too_large(what, bytes, free)) } else { Ok(reserved) }
    }

    /// The threads of a run.
    pub(crate) fn pool(&self) -> Result<ThreadPool, AnalysisError> {
        let start = |_| threads::run_anywhere();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).start_handler(start).build();
        pool.map_err(|error| AnalysisError::Parameter(format!("threads could not be started: {error}")))
    }

    /// Waits until no other projection is being made.
    pub(crate) fn make(&self, observer: &dyn Observer) -> Result<MutexGuard<'_, ()>, StoreError> {
        loop {
            if let Some(alone) = self.making.try_lock_for(LOOK) {
                return Ok(alone);
            }
            observer.check()?;
        }
    }

    pub(crate) fn wanted<'a>(&self, observer: &'a dyn Observer) -> Wanted<'a> {
        Wanted { threads: self.threads, bytes_max: self.free(), observer }
    }

    /// The projection that an analysis works on: a new one, or that kept under the name it gives.
    pub(crate) fn projection(
        &self,
        graph: &Graph,
        analysis: &Analysis,
        observer: &dyn Observer,
        run: &Run<'_>,
    ) -> Result<Ready, AnalysisError> {
        let spec = analysis.spec(&graph.catalogue())?;
        let name = analysis.parameters.text("projection")?;
        let key = name.map(|name| (graph.number().0, name.to_owned()));
        let refresh = analysis.parameters.flag("refresh")? || matches!(analysis.work, Work::Project);
        if let Some(found) = self.kept_as(key.as_ref(), &spec, refresh)? {
            return Ok(Ready { projection: found, reserved: None });
        }
        let _alone = self.make(observer)?;
        // Another one may have made it meanwhile.
        if let Some(found) = self.kept_as(key.as_ref(), &spec, refresh)? {
            return Ok(Ready { projection: found, reserved: None });
        }
        if let Some(key) = &key {
            // The one it replaces gives its memory back first.
            self.kept.lock().remove(key);
        }
        let made = Arc::new(project(graph, &spec, &self.wanted(observer), run)?);
        let reserved = self.reserve("the copy of the graph", made.bytes())?;
        let Some(key) = key else { return Ok(Ready { projection: made, reserved: Some(reserved) }) };
        let mut kept = self.kept.lock();
        drop(reserved);
        kept.insert(key, Kept { projection: Arc::clone(&made), spec, made: Instant::now() });
        Ok(Ready { projection: made, reserved: None })
    }

    /// The projection that is kept under a name and may be used; none where one is to be made.
    fn kept_as(
        &self,
        key: Option<&(u32, String)>,
        spec: &Spec,
        refresh: bool,
    ) -> Result<Option<Arc<Projection>>, AnalysisError> {
        let Some(key) = key else { return Ok(None) };
        let kept = self.kept.lock();
        match kept.get(key) {
            Some(kept) if !refresh && (kept.spec == *spec || *spec == Spec::default()) => {
                Ok(Some(Arc::clone(&kept.projection)))
            }
            Some(kept) if !refresh => {
                let made = kept.made.elapsed().as_secs();
                Err(AnalysisError::Parameter(format!(
                    "the projection '{}' was made {made} s ago of other labels or another weight; give 'refresh': true \
                     to make it again, or another name",
                    key.1
                )))
            }
            None if kept.len() >= limits::PROJECTIONS_MAX => Err(AnalysisError::Parameter(format!(
                "{} projections are kept, the limit; drop one first",
                limits::PROJECTIONS_MAX
            ))),
            _ => Ok(None),
        }
    }

    /// Drops a projection; whether there was one of the name.
    pub(crate) fn drop_kept(&self, graph: &Graph, name: &str) -> bool {
        self.kept.lock().remove(&(graph.number().0, name.to_owned())).is_some()
    }

    /// The projections of a graph that are kept.
    pub(crate) fn list(&self, graph: &Graph) -> Json {
        let kept = self.kept.lock();
        let own = kept.iter().filter(|((number, _), _)| *number == graph.number().0);
        let each = own.map(|((_, name), kept)| {
            let mut one = describe(&kept.projection);
            if let Json::Object(fields) = &mut one {
                fields.insert("projection".to_owned(), Json::from(name.as_str()));
                let age = u64::try_from(kept.made.elapsed().as_millis()).unwrap_or(0);
                fields.insert("age_ms".to_owned(), Json::from(age));
            }
            one
        });
        json!({ "projections": each.collect::<Vec<_>>(), "bytes_max": self.bytes_max })
    }
}

pub(crate) fn describe(projection: &Projection) -> Json {
    json!({
        "vertices": projection.graph().vertices(), "edges": projection.graph().edges(), "bytes": projection.bytes(),
        "weighted": projection.graph().out().is_weighted(), "one_moment": projection.is_of_one_moment(),
    })
}
