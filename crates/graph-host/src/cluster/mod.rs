//! Several processes over one store: who they are, what each of them has seen, and who may change what all of them hold
//! in memory.
//!
//! Nothing but the store connects them. Every server has a row there ([`rows`]), which it writes again at each round
//! ([`round`]): a beat that shows it is alive, and the last change whose effects are in force in it. One row says who
//! is changing schema or graphs, and counts the changes ([`changing`]): by its count a server sees that it must read
//! again.
//!
//! Between them, writers that change what they have read take the stripes of their elements through a row
//! ([`stripes`], [`taking`]); a server that is alone need not ([`company`]). While files under the store are copied,
//! none of them writes ([`freeze`]).
//!
//! What a server holds in memory is lent: one that has not been through a round for [`ClusterOptions::stale`] refuses
//! to write. Others judge by their own monotonic clocks whether a beat has stood still for that long, so no clocks have
//! to agree. Whoever needs that nobody uses an old catalogue any more ([`Peers::wait_for_servers`]) waits until every
//! server has said so or has had to stop writing.
//!
//! On an engine only this process uses there is no [`Cluster`], and nothing of this costs anything.

pub(crate) mod changing;
mod company;
mod freeze;
pub(crate) mod round;
pub(crate) mod rows;
pub(crate) mod stripes;
mod taking;
pub(crate) mod tasks;

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use key_codec::GraphNumber;
use kv::Engine;
use parking_lot::{Condvar, Mutex};

use crate::cluster::rows::Rows;
use crate::cluster::stripes::{Row, StripeLocks};
use crate::limits;
use graph_store::{ChangeRight, Peers, StoreError, StripesLock, StripesSeen, Wait};

use crate::options::ClusterOptions;

/// This process among those over the store.
pub(crate) struct Cluster {
    /// Its priority lane, where it has one: a heartbeat must not wait behind a load.
    engine: Arc<dyn Engine>,
    /// The lane of requests, for what each of them asks on its own account.
    requests: Arc<dyn Engine>,
    options: ClusterOptions,
    /// Random, so that a process that is restarted is another one. Never 0.
    id: u64,
    started: Instant,
    /// Until when writing is allowed, in milliseconds since `started`.
    fresh_until_ms: AtomicU64,
    /// Until when a freeze forbids it, likewise.
    frozen_until_ms: AtomicU64,
    /// Held while this process changes schema or graphs, and while it reads them again.
    local: Mutex<()>,
    /// Whether this process has the row of changes on purpose.
    changing: AtomicBool,
    /// Whether this process is the one that purges, removes what was dropped and takes over tasks.
    housekeeping: AtomicBool,
    /// Whether there may be tasks of a server that is gone.
    orphans: AtomicBool,
    /// Whether other servers may be writing, and whether they all know of this one ([`company`]).
    others: AtomicBool,
    introduced: AtomicBool,
    /// Counts what puts in doubt that this process knows of all writes.
    period: AtomicU64,
    /// How many writes the engine had completed late when this was looked at last.
    completed_late: AtomicU64,
    stripes: StripeLocks,
    state: Mutex<State>,
    asked: Condvar,
}

#[derive(Default)]
struct State {
    beat: u64,
    /// The last change that was read from the store.
    acknowledged: u64,
    /// Changes that were read, but old writers may still be at work.
    pending: BTreeSet<u64>,
    /// The change up to which all is in force, as read while none was at work; `None`: must be read again.
    noticed: Option<u64>,
    /// When everything was read last.
    read_at: Option<Instant>,
    servers: HashMap<u64, Observed>,
    /// The others that are alive, once nothing is at work here any more that was begun alone.
    known: BTreeSet<u64>,
    /// How often writers that began alone are still being waited for.
    draining: u32,
    /// Whether these are to be waited for, which is said once.
    drain_wanted: bool,
    /// The freeze that the rows say there is.
    freeze: Option<rows::Freeze>,
    /// The last one that this server began, and when that was.
    begun: Option<(rows::Freeze, Instant)>,
    /// Whether the writers at work have to be waited for because of it.
    writers_wanted: bool,
    /// A round is wanted at once.
    wanted: bool,
    /// The store is being closed: nothing is waited for any more.
    closing: bool,
    stopped: bool,
}

/// What is known of a server.
#[derive(Clone, Copy)]
struct Observed {
    beat: u64,
    /// When this beat was seen first.
    since: Instant,
    /// Whether its death was noted.
    is_dead: bool,
}

impl State {
    /// The last change of which nobody here uses an older state any more.
    fn seen(&self) -> u64 {
        self.pending.first().map_or(self.acknowledged, |first| self.acknowledged.min(first.saturating_sub(1)))
    }
}

impl Cluster {
    /// The engine it uses: the priority lane, where there is one.
    pub(crate) fn engine(&self) -> &dyn Engine {
        &*self.engine
    }

    /// This process, unless it is the only one that can use the engine.
    pub(crate) fn of(engine: &Arc<dyn Engine>, options: ClusterOptions) -> Option<Self> {
        engine.capabilities().shared.then(|| Self {
            engine: engine.priority_lane().unwrap_or_else(|| Arc::clone(engine)),
            requests: Arc::clone(engine),
            options,
            id: random().max(1),
            started: Instant::now(),
            fresh_until_ms: AtomicU64::new(0),
            frozen_until_ms: AtomicU64::new(0),
            local: Mutex::default(),
            changing: AtomicBool::new(false),
            housekeeping: AtomicBool::new(false),
            orphans: AtomicBool::new(true),
            others: AtomicBool::new(true),
            introduced: AtomicBool::new(false),
            period: AtomicU64::new(0),
            completed_late: AtomicU64::new(0),
            stripes: StripeLocks::default(),
            state: Mutex::default(),
            asked: Condvar::new(),
        })
    }

    /// Which server this is.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Whether this server looks after what only one may.
    pub(crate) fn is_housekeeping(&self) -> bool {
        self.housekeeping.load(Ordering::Acquire)
    }

    /// Allows writing for a time from the beginning of a round.
    pub(crate) fn set_fresh(&self, began: Instant) {
        let until = began.saturating_duration_since(self.started) + self.options.stale;
        if millis(self.started.elapsed()) >= self.fresh_until_ms.load(Ordering::Acquire) {
            // The others may have taken this server for dead, and have written.
            self.begin_period();
            self.stripes.doubt();
            self.doubt_freeze();
        }
        self.fresh_until_ms.store(millis(until), Ordering::Release);
    }

    /// Refuses where what is in memory may be out of date.
    fn check_seen(&self) -> Result<(), StoreError> {
        let now = millis(self.started.elapsed());
        let until = self.fresh_until_ms.load(Ordering::Acquire);
        if now < until {
            return Ok(());
        }
        let stale = millis(self.options.stale);
        Err(StoreError::Stale { since_ms: now.saturating_sub(until).saturating_add(stale) })
    }

    /// How long a beat must stand still until its server cannot be writing any more, by any clock.
    fn dead_after(&self) -> Duration {
        self.options.stale + self.options.stale / 10
    }

    /// Notes the beats, and whether a server is gone that was there, or has died.
    fn observe(&self, rows: &Rows) {
        let (now, dead_after) = (Instant::now(), self.dead_after());
        let mut state = self.state.lock();
        let before = state.servers.len();
        let there: HashMap<u64, u64> = rows.servers.iter().map(|server| (server.id, server.beat)).collect();
        state.servers.retain(|id, _| there.contains_key(id));
        let mut gone = state.servers.len() < before;
        for (id, beat) in there {
            let seen = state.servers.entry(id).or_insert(Observed { beat, since: now, is_dead: false });
            if seen.beat != beat {
                *seen = Observed { beat, since: now, is_dead: false };
            } else if !seen.is_dead && now.duration_since(seen.since) >= dead_after {
                seen.is_dead = true;
                gone = true;
            }
        }
        if gone {
            self.orphans.store(true, Ordering::Release);
        }
    }

    /// Whether tasks of servers that are gone have to be looked for, which is said once.
    pub(crate) fn take_orphans(&self) -> bool {
        self.orphans.swap(false, Ordering::AcqRel)
    }

    /// Whether there are any to look for.
    pub(crate) fn has_orphans(&self) -> bool {
        self.orphans.load(Ordering::Acquire)
    }

    /// Has them looked for again.
    pub(crate) fn note_orphans(&self) {
        self.orphans.store(true, Ordering::Release);
    }

    /// Ends every wait for other servers: the store is being closed.
    pub(crate) fn close(&self) {
        self.state.lock().closing = true;
    }

    /// For how long the beat of a server has stood still.
    fn silence(&self, id: u64) -> Duration {
        self.state.lock().servers.get(&id).map_or(Duration::ZERO, |seen| seen.since.elapsed())
    }

    /// Whether a server may still be at work.
    fn is_live(&self, rows: &Rows, id: u64) -> bool {
        id == self.id || (rows.servers.iter().any(|server| server.id == id) && self.silence(id) < self.dead_after())
    }

    /// Waits until no server of these uses a schema or a graph as it was before the last change: all have said so, or
    /// have had to stop writing.
    fn wait_for(&self, whom: impl Fn(&rows::Server) -> bool) -> Result<(), StoreError> {
        let began = Instant::now();
        let mut target = None;
        loop {
            let rows = rows::read(&*self.engine)?;
            self.observe(&rows);
            let target = *target.get_or_insert(rows.changes.count);
            let waits = |server: &&rows::Server| {
                whom(server) && server.seen < target && self.silence(server.id) < self.dead_after()
            };
            let Some(other) = rows.servers.iter().find(waits) else { return Ok(()) };
            if self.state.lock().closing {
                return Err(StoreError::Closing);
            }
            if began.elapsed() > limits::SERVERS_WAIT_MAX {
                let server = rows::server_name(other.id);
                return Err(StoreError::ServerBehind { server, waited_ms: millis(began.elapsed()) });
            }
            std::thread::sleep((self.options.refresh / 8).clamp(limits::POLL_PAUSE_MIN, limits::POLL_PAUSE_MAX));
        }
    }

    /// Notes that old writers have come to their end.
    pub(crate) fn settled(&self, change: u64) {
        let mut state = self.state.lock();
        let before = state.seen();
        state.pending.remove(&change);
        if state.seen() != before {
            state.wanted = true;
            self.asked.notify_all();
        }
    }
}

impl Peers for Cluster {
    /// Refuses where what is in memory may be out of date, and while the store is frozen.
    fn check_fresh(&self) -> Result<(), StoreError> {
        match self.frozen_for() {
            Some(left) => Err(StoreError::Frozen { for_ms: millis(left) }),
            None => self.check_seen(),
        }
    }

    fn begin_change(&self) -> Result<Box<dyn ChangeRight + '_>, StoreError> {
        self.take_right()
    }

    fn has_others(&self) -> bool {
        self.others.load(Ordering::Acquire)
    }

    fn alone_since(&self) -> Option<u64> {
        // The period last: one that began after the others were looked at has nothing of an earlier one.
        let is_alone = !self.has_others() && self.check_seen().is_ok();
        is_alone.then(|| self.period.load(Ordering::Acquire))
    }

    fn lock_stripes(&self, graph: GraphNumber, stripes: u64, wait: Wait) -> Result<Option<StripesLock>, StoreError> {
        if !self.has_others() {
            return Ok(None);
        }
        let until = Instant::now() + limits::STRIPES_WAIT_MAX;
        self.wait_for_introduction(until, wait)?;
        if stripes == 0 { Ok(None) } else { self.take_stripes(graph, stripes, until, wait).map(Some) }
    }

    fn stripes_seen(&self, graph: GraphNumber) -> Result<StripesSeen, StoreError> {
        if let Some(seen) = self.stripes.seen.lock().get(&graph) {
            return Ok(seen.clone());
        }
        self.look_at_stripes(graph)
    }

    fn stayed_free(&self, graph: GraphNumber, stripes: u64, seen: &StripesSeen) -> Result<bool, StoreError> {
        let now = self.look_at_stripes(graph)?;
        Ok(now == *seen && !Row::decode(now.0)?.others_have(self.id, stripes))
    }

    fn wait_for_servers(&self) -> Result<(), StoreError> {
        self.wait_for(|server| server.id != self.id)
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// A number that no other process has.
fn random() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    // The standard library's hashers are seeded with random bits of the operating system.
    RandomState::new().hash_one((std::process::id(), now.as_nanos()))
}
