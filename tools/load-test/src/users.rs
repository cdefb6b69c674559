//! The users of a row: threads, each with a runtime of its own and a share of the users as tasks on it.
//!
//! A user is a loop: wait for the next start, render, send, judge, record. Threads share nothing but the plan and a
//! counter.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::cancel::Cancel;
use crate::error::LoadTestError;
use crate::exchange::{Connection, Failure, Outcome, Sending};
use crate::limits::{CONNECT_RETRY_PAUSE, INTERRUPT_GRACE};
use crate::options::{DriverOptions, Load};
use crate::pace::{Arrivals, Pace, Start, Window};
use crate::recorder::{Ended, Shard};
use crate::result::{DriverKind, ErrorClass};
use crate::scenario::{Plan, Renderer};

/// What the users of a row share.
pub(crate) struct Shared {
    pub(crate) plan: Arc<Plan>,
    pub(crate) sending: Arc<Sending>,
    pub(crate) window: Window,
    pub(crate) load: Load,
    /// Set on interruption: no user starts another request.
    pub(crate) stop: AtomicBool,
    /// Set when this machine has no port left for a connection; the row is worth nothing then.
    pub(crate) no_local_port: AtomicBool,
    /// Requests that may still be started.
    pub(crate) left: AtomicU64,
    /// Counted requests under way.
    pub(crate) in_flight: AtomicU64,
    /// When the row begins, by both clocks, to give samples a date.
    pub(crate) epoch: (Instant, SystemTime),
}

/// A thread of the tool at work.
pub(crate) struct Worker {
    thread: JoinHandle<()>,
    /// `None` after it has told.
    ended: Option<oneshot::Receiver<()>>,
    pub(crate) shard: Arc<Shard>,
    pub(crate) arrivals: Option<Arc<Mutex<Arrivals>>>,
}

impl Worker {
    /// Starts thread `index` with its share of the users.
    pub(crate) fn start(
        shared: &Arc<Shared>,
        options: &DriverOptions,
        index: usize,
        threads: usize,
        cancel: &Cancel,
    ) -> Result<Self, LoadTestError> {
        let system = |what| move |source| LoadTestError::System { what, source };
        let samples_max = options.samples_max / threads;
        let shard = Arc::new(Shard::new(shared.plan.requests.len(), samples_max));
        let arrivals =
            (options.kind == DriverKind::Open).then(|| Arc::new(Mutex::new(share(shared, options, index, threads))));
        let pace = match (options.kind, &arrivals) {
            (DriverKind::Open, Some(arrivals)) => Pace::Open(Arc::clone(arrivals)),
            (DriverKind::Paced, _) => Pace::Paced(options.pacing),
            _ => Pace::Closed,
        };
        // Paced users spread over one interval even without ramp-up, so that they do not all send at the same moment.
        let spread =
            if options.kind == DriverKind::Paced { options.ramp_up.max(options.pacing) } else { options.ramp_up };
        let (send_ended, ended) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(system("starting a runtime for users"))?;
        let (shared, cancel) = (Arc::clone(shared), cancel.clone());
        let processor = tied_to(index, threads);
        let users = Users { shared, shard: Arc::clone(&shard), pace, spread, index, threads };
        let thread = std::thread::Builder::new()
            .name(format!("users-{index}"))
            .spawn(move || {
                processor.map(threads::run_on);
                runtime.block_on(users.run(&cancel));
                // Requests under way are dropped with the runtime.
                drop(runtime);
                // Nobody listens any more only if the run itself was dropped.
                let _ = send_ended.send(());
            })
            .map_err(system("starting a thread for users"))?;
        Ok(Self { thread, ended: Some(ended), shard, arrivals })
    }

    /// Waits until all its users have ended; may be given up and called again.
    pub(crate) async fn ended(&mut self) {
        if let Some(ended) = &mut self.ended {
            // An error means that the thread panicked, which `join` reports.
            let _ = ended.await;
            self.ended = None;
        }
    }

    /// Ends the thread. The error is a panic in it: a mistake in this crate.
    pub(crate) fn join(self) -> Result<(), LoadTestError> {
        let source = |_| std::io::Error::other("it panicked");
        self.thread.join().map_err(|panic| LoadTestError::System { what: "a thread of users", source: source(panic) })
    }
}

/// The processor to pin a thread to, given the number of threads: so that a server on this machine can serve its
/// connections on the same one, and the placement does not change from row to row. `None` unless there are as many
/// processors as threads.
fn tied_to(index: usize, threads: usize) -> Option<usize> {
    let processors = threads::processors();
    processors.get(index).copied().filter(|_| processors.len() == threads)
}

/// A thread's part of the starts of the open driver.
fn share(shared: &Shared, options: &DriverOptions, index: usize, threads: usize) -> Arrivals {
    let threads = u32::try_from(threads).unwrap_or(u32::MAX);
    let index = u32::try_from(index).unwrap_or_default();
    let rate = options.rate(shared.load);
    let mut window = shared.window;
    // The threads' starts interleave.
    window.begin += Duration::from_secs_f64(f64::from(index) / rate);
    let queue_max = (options.queue_max / u64::from(threads)).max(1);
    Arrivals::new(&window, options.ramp_up, rate / f64::from(threads), queue_max)
}

/// The users of one thread.
struct Users {
    shared: Arc<Shared>,
    shard: Arc<Shard>,
    pace: Pace,
    spread: Duration,
    index: usize,
    threads: usize,
}

impl Users {
    async fn run(self, cancel: &Cancel) {
        let mut tasks = JoinSet::new();
        let concurrency = self.shared.load.concurrency;
        for number in (0..concurrency).skip(self.index).step_by(self.threads) {
            let begin = self.shared.window.begin + self.spread * number / concurrency;
            let user = User {
                number,
                shared: Arc::clone(&self.shared),
                shard: Arc::clone(&self.shard),
                pace: self.pace.clone(),
                renderer: Renderer::new(self.shared.seed(number)),
                connection: Connection::default(),
            };
            tasks.spawn(user.run(begin));
        }
        let interrupted = async {
            cancel.cancelled().await;
            self.shared.stop.store(true, Ordering::Relaxed);
            tokio::time::sleep(INTERRUPT_GRACE).await;
        };
        tokio::select! {
            () = async {
                while let Some(ended) = tasks.join_next().await {
                    // A user that panicked is a mistake in this crate, and must not look like a slow server.
                    if let Err(error) = ended && error.is_panic() {
                        std::panic::resume_unwind(error.into_panic());
                    }
                }
            } => {}
            () = interrupted => {}
        }
    }
}

struct User {
    number: u32,
    shared: Arc<Shared>,
    shard: Arc<Shard>,
    pace: Pace,
    renderer: Renderer,
    connection: Connection,
}

impl User {
    async fn run(mut self, begin: Instant) {
        let mut next = begin;
        while let Some(start) = self.pace.next_start(&mut next, self.shared.window.until).await {
            if self.shared.stop.load(Ordering::Relaxed) || !self.shared.start_one() {
                return;
            }
            let had_connection = self.one(start).await;
            if !had_connection && !matches!(self.pace, Pace::Paced(_)) {
                next = Instant::now() + CONNECT_RETRY_PAUSE;
                if matches!(self.pace, Pace::Open(_)) {
                    tokio::time::sleep(CONNECT_RETRY_PAUSE).await;
                }
            }
        }
    }

    /// One request. Gives whether there was a connection for it.
    async fn one(&mut self, scheduled: Start) -> bool {
        let shared = &*self.shared;
        let plan = &*shared.plan;
        let index = self.renderer.pick(plan);
        let Some(request) = plan.requests.get(index) else { return true };
        let rendered = self.renderer.render(plan, request, &shared.sending.headers);
        let sent = Instant::now();
        let start = scheduled.intended.unwrap_or(sent);
        let counts = start >= shared.window.counted_from;
        if counts {
            shared.in_flight.fetch_add(1, Ordering::Relaxed);
        }
        let mut body_bytes = 0;
        let outcome = match rendered {
            Ok(rendered) => {
                body_bytes = rendered.body_bytes;
                self.connection.exchange(&shared.sending, request, &rendered, sent).await
            }
            Err(reason) => {
                Outcome { failure: Some(Failure::new(ErrorClass::WrongAnswer, reason)), ..Outcome::default() }
            }
        };
        if outcome.no_local_port {
            shared.no_local_port.store(true, Ordering::Relaxed);
            shared.stop.store(true, Ordering::Relaxed);
        }
        // Judging the answer is not the server's time.
        let elapsed = outcome.ended.unwrap_or_else(Instant::now).saturating_duration_since(start);
        if counts {
            shared.in_flight.fetch_sub(1, Ordering::Relaxed);
            let ended = Ended {
                request: index,
                label: &request.label,
                started_at_ms: shared.date_ms(start),
                elapsed,
                elements: request.elements,
                body_bytes,
                user: self.number,
                users: shared.load.concurrency,
            };
            self.shard.record(&ended, &outcome);
        }
        outcome.failure.is_none_or(|failure| failure.class != ErrorClass::Connect)
    }
}

impl Shared {
    /// Whether another request may be started; it counts as started then.
    fn start_one(&self) -> bool {
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }

    /// Makes users draw different ids, and each row others than the last one.
    fn seed(&self, user: u32) -> u64 {
        let row = self.epoch.1.duration_since(UNIX_EPOCH).unwrap_or_default().subsec_nanos();
        u64::from(row) << 32 | u64::from(user)
    }

    /// A moment as milliseconds since 1970.
    fn date_ms(&self, at: Instant) -> u64 {
        let date = self.epoch.1 + at.saturating_duration_since(self.epoch.0);
        u64::try_from(date.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis()).unwrap_or(u64::MAX)
    }
}
