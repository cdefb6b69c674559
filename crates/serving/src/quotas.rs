//! How much one user, and everybody together on one graph, may ask for: requests and bytes a second, queries and their
//! memory at one time.
//!
//! Rates are token buckets that hold what a second gives: so many requests at once are served, and after that as many
//! as the time since brings. Bytes are known when they have been sent; who has sent more than there was room for waits
//! until that is made up for.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};

use crate::limits::QUOTA_HOLDERS_MAX;
use crate::work_bounds::{GraphBounds, WorkBounds};

/// Bounds of one holder; 0: none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quota {
    /// Requests a second.
    pub requests_per_second: u64,
    /// Bytes a second of requests and answers together.
    pub bytes_per_second: u64,
    /// Queries, lists and traversals at one time.
    pub running_queries_max: usize,
    /// Bytes those may hold together; each counts with the most it may hold.
    pub query_memory_max: u64,
}

impl Quota {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Bounds of all holders (`[quotas]`).
#[derive(Clone, Debug, Default)]
pub struct QuotaOptions {
    /// Of each user.
    pub user: Quota,
    /// Of each graph.
    pub graph: Quota,
    /// Users without one.
    pub exempt_users: Vec<String>,
}

/// A quota is used up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverQuota {
    /// Who holds it.
    holder: String,
    /// What of it.
    what: String,
    /// The setting.
    setting: String,
    /// After how many seconds there is some again, at least 1.
    pub retry_after_s: u64,
}

impl fmt::Display for OverQuota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { holder, what, setting, retry_after_s } = self;
        write!(f, "the quota of {holder} is used up: {what} ({setting}); try again in {retry_after_s} s")
    }
}

impl std::error::Error for OverQuota {}

/// Who holds a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    User,
    Graph,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Graph => "graph",
        }
    }
}

/// What a second gives, as far as it is not used.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    level: f64,
    at: Instant,
}

impl Bucket {
    #[expect(clippy::cast_precision_loss, reason = "rates are far below 2^52")]
    fn new(rate: u64, now: Instant) -> Self {
        Self { level: rate as f64, at: now }
    }

    #[expect(clippy::cast_precision_loss, reason = "rates are far below 2^52")]
    fn fill(&mut self, rate: u64, now: Instant) {
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        self.level = (self.level + since * rate as f64).min(rate as f64);
        self.at = self.at.max(now);
    }

    /// Seconds until the level is `needed`; `None`: it is.
    #[expect(clippy::cast_precision_loss, reason = "rates are far below 2^52")]
    fn wait(&self, needed: f64, rate: u64) -> Option<Duration> {
        let missing = needed - self.level;
        // What is left of rounding is no reason to wait.
        (missing > 1e-6).then(|| Duration::from_secs_f64((missing / rate as f64).min(3_600.0)))
    }
}

/// What a holder has used.
struct Used {
    requests: Bucket,
    bytes: Bucket,
    running: usize,
    memory: u64,
}

type Holders = HashMap<(Kind, Box<str>), Used>;

/// The quotas of a server.
pub struct Quotas {
    options: QuotaOptions,
    is_on: AtomicBool,
    /// Of graphs that have their own, in place of [`QuotaOptions::graph`].
    graphs: RwLock<HashMap<Box<str>, Quota>>,
    bounds: GraphBounds,
    holders: Mutex<Holders>,
}

/// A query's share, until it is dropped.
pub struct QueryShare {
    quotas: Arc<Quotas>,
    holders: Vec<(Kind, Box<str>)>,
    memory: u64,
}

impl Quotas {
    /// All quotas, none of them used.
    #[must_use]
    pub fn new(options: QuotaOptions) -> Self {
        let is_on = AtomicBool::new(!(options.user.is_none() && options.graph.is_none()));
        Self { options, is_on, graphs: RwLock::default(), bounds: GraphBounds::default(), holders: Mutex::default() }
    }

    fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// Gives graphs quotas of their own; all others have that of the settings from now on.
    pub fn set_graphs(&self, graphs: impl Iterator<Item = (Box<str>, Quota)>) {
        let graphs: HashMap<_, _> = graphs.collect();
        let is_any = !(graphs.is_empty() && self.options.user.is_none() && self.options.graph.is_none());
        // What a graph has used is counted anew: a bucket of another rate says nothing.
        let mut holders = self.holders.lock();
        let before = std::mem::replace(&mut *self.graphs.write(), graphs);
        let graphs = self.graphs.read();
        holders.retain(|(kind, name), used| {
            used.running > 0 || *kind == Kind::User || before.get(name) == graphs.get(name)
        });
        self.is_on.store(is_any, Ordering::Relaxed);
    }

    /// Bounds the work of single requests on graphs; on all others it is bounded by the settings alone from now on.
    pub fn set_bounds(&self, graphs: impl Iterator<Item = (Box<str>, WorkBounds)>) {
        self.bounds.set(graphs);
    }

    /// The bounds of the work of one request on a graph. Costs a load where no graph has any.
    #[must_use]
    pub fn bounds(&self, graph: &str) -> WorkBounds {
        self.bounds.of(graph)
    }

    /// The quota of graphs that have none of their own.
    #[must_use]
    pub fn of_graphs(&self) -> Quota {
        self.options.graph
    }

    /// The quota of a graph, and whether it is its own.
    #[must_use]
    pub fn of_graph(&self, graph: &str) -> (Quota, bool) {
        match self.graphs.read().get(graph) {
            Some(own) => (*own, true),
            None => (self.options.graph, false),
        }
    }

    fn quota(&self, kind: Kind, name: &str) -> Quota {
        match kind {
            Kind::User => self.options.user,
            Kind::Graph => self.of_graph(name).0,
        }
    }

    /// Whose quotas a request of a user on a graph uses.
    fn held<'n>(
        &self,
        user: Option<&'n str>,
        graph: Option<&'n str>,
    ) -> impl Iterator<Item = (Kind, &'n str)> + use<'n> {
        let user = user.filter(|user| {
            !self.options.user.is_none() && !self.options.exempt_users.iter().any(|exempt| exempt == user)
        });
        let graph = graph.filter(|graph| !self.of_graph(graph).0.is_none());
        user.map(|user| (Kind::User, user)).into_iter().chain(graph.map(|graph| (Kind::Graph, graph)))
    }

    /// Lets a request in, or says that there have been too many.
    ///
    /// # Errors
    /// [`OverQuota`]; then it counts nowhere.
    pub fn request(&self, user: Option<&str>, graph: Option<&str>) -> Result<(), OverQuota> {
        if self.is_on() { self.request_at(user, graph, Instant::now()) } else { Ok(()) }
    }

    fn request_at(&self, user: Option<&str>, graph: Option<&str>, now: Instant) -> Result<(), OverQuota> {
        let mut holders = self.holders.lock();
        for (kind, name) in self.held(user, graph) {
            let quota = self.quota(kind, name);
            let used = self.used(&mut holders, kind, name, now);
            let (rate, bytes) = (quota.requests_per_second, quota.bytes_per_second);
            if let Some(wait) = used.requests.wait(1.0, rate).filter(|_| rate > 0) {
                return Err(self.over(kind, name, format!("{rate} requests a second"), "requests_per_second", wait));
            }
            if let Some(wait) = used.bytes.wait(0.0, bytes).filter(|_| bytes > 0) {
                return Err(self.over(kind, name, format!("{bytes} bytes a second"), "bytes_per_second", wait));
            }
        }
        for (kind, name) in self.held(user, graph) {
            if self.quota(kind, name).requests_per_second > 0 {
                self.used(&mut holders, kind, name, now).requests.level -= 1.0;
            }
        }
        Ok(())
    }

    /// Whether bytes are counted.
    #[must_use]
    pub fn counts_bytes(&self) -> bool {
        self.is_on()
            && (self.options.user.bytes_per_second > 0
                || self.options.graph.bytes_per_second > 0
                || self.graphs.read().values().any(|quota| quota.bytes_per_second > 0))
    }

    /// Notes bytes of a request or an answer.
    pub fn note_bytes(&self, user: Option<&str>, graph: Option<&str>, bytes: u64) {
        if self.is_on() && bytes > 0 {
            self.note_bytes_at(user, graph, bytes, Instant::now());
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "bytes of a request are far below 2^52")]
    fn note_bytes_at(&self, user: Option<&str>, graph: Option<&str>, bytes: u64, now: Instant) {
        let mut holders = self.holders.lock();
        for (kind, name) in self.held(user, graph) {
            if self.quota(kind, name).bytes_per_second > 0 {
                self.used(&mut holders, kind, name, now).bytes.level -= bytes as f64;
            }
        }
    }

    /// Lets a query in that may hold so many bytes; `None` where nobody has a quota.
    ///
    /// # Errors
    /// [`OverQuota`]; then it counts nowhere.
    pub fn query(
        self: &Arc<Self>,
        user: Option<&str>,
        graph: Option<&str>,
        memory: u64,
    ) -> Result<Option<QueryShare>, OverQuota> {
        if !self.is_on() || self.held(user, graph).next().is_none() {
            return Ok(None);
        }
        let now = Instant::now();
        let mut holders = self.holders.lock();
        for (kind, name) in self.held(user, graph) {
            let quota = self.quota(kind, name);
            let used = self.used(&mut holders, kind, name, now);
            let (running_max, memory_max) = (quota.running_queries_max, quota.query_memory_max);
            let second = Duration::from_secs(1);
            if running_max > 0 && used.running >= running_max {
                let what = format!("{running_max} queries run already");
                return Err(self.over(kind, name, what, "running_queries_max", second));
            }
            // One alone always has room: its own bound is another setting.
            if memory_max > 0 && used.running > 0 && used.memory.saturating_add(memory) > memory_max {
                let held = used.memory;
                let what = format!("its queries may hold {held} bytes already, and this one {memory}, of {memory_max}");
                return Err(self.over(kind, name, what, "query_memory_max", second));
            }
        }
        let mut held = Vec::new();
        for (kind, name) in self.held(user, graph) {
            let used = self.used(&mut holders, kind, name, now);
            used.running += 1;
            used.memory = used.memory.saturating_add(memory);
            held.push((kind, name.into()));
        }
        Ok(Some(QueryShare { quotas: Arc::clone(self), holders: held, memory }))
    }

    fn used<'h>(&self, holders: &'h mut Holders, kind: Kind, name: &str, now: Instant) -> &'h mut Used {
        if holders.len() >= QUOTA_HOLDERS_MAX {
            // Those that have used nothing for a second are as if they were not there.
            holders.retain(|(kind, name), used| {
                let quota = self.quota(*kind, name);
                used.requests.fill(quota.requests_per_second, now);
                used.bytes.fill(quota.bytes_per_second, now);
                let is_full = used.requests.wait(as_float(quota.requests_per_second), 1).is_none()
                    && used.bytes.wait(as_float(quota.bytes_per_second), 1).is_none();
                used.running > 0 || !is_full
            });
        }
        let quota = self.quota(kind, name);
        let used = holders.entry((kind, name.into())).or_insert_with(|| Used {
            requests: Bucket::new(quota.requests_per_second, now),
            bytes: Bucket::new(quota.bytes_per_second, now),
            running: 0,
            memory: 0,
        });
        used.requests.fill(quota.requests_per_second, now);
        used.bytes.fill(quota.bytes_per_second, now);
        used
    }

    fn over(&self, kind: Kind, name: &str, what: String, setting: &str, wait: Duration) -> OverQuota {
        let retry_after_s = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        let setting = match kind {
            Kind::Graph if self.of_graph(name).1 => format!("{setting} of the graph's own limits"),
            _ => format!("quotas.{}_{setting}", kind.name()),
        };
        OverQuota { holder: format!("{} '{name}'", kind.name()), what, setting, retry_after_s: retry_after_s.max(1) }
    }
}

#[expect(clippy::cast_precision_loss, reason = "rates are far below 2^52")]
fn as_float(rate: u64) -> f64 {
    rate as f64
}

impl Drop for QueryShare {
    fn drop(&mut self) {
        let mut holders = self.quotas.holders.lock();
        for holder in &self.holders {
            if let Some(used) = holders.get_mut(holder) {
                used.running = used.running.saturating_sub(1);
                used.memory = used.memory.saturating_sub(self.memory);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quotas(user: Quota, graph: Quota) -> Arc<Quotas> {
        Arc::new(Quotas::new(QuotaOptions { user, graph, exempt_users: vec!["admin".to_owned()] }))
    }

    #[test]
    fn as_many_requests_as_a_second_gives_and_no_more() {
        let quotas = quotas(Quota { requests_per_second: 10, ..Quota::default() }, Quota::default());
        let start = Instant::now();
        let ask = |user: &str, after_ms: u64| {
            quotas.request_at(Some(user), Some("g"), start + Duration::from_millis(after_ms))
        };
        for _ in 0..10 {
            ask("bob", 0).unwrap();
        }
        let refused = ask("bob", 0).unwrap_err();
        let expected = "the quota of user 'bob' is used up: 10 requests a second \
                        (quotas.user_requests_per_second); try again in 1 s";
        assert_eq!(refused.to_string(), expected);
        assert!(ask("alice", 0).is_ok(), "everybody has their own");
        assert!((0..100).all(|_| ask("admin", 0).is_ok()), "exempt");
        assert!(ask("bob", 99).is_err());
        assert!(ask("bob", 100).is_ok() && ask("bob", 100).is_err());
        // A long pause gives no more than a second's.
        assert_eq!((0..20).filter(|_| ask("bob", 60_000).is_ok()).count(), 10);
    }

    #[test]
    fn what_a_graph_refuses_costs_its_user_nothing() {
        let rate = |rate| Quota { requests_per_second: rate, ..Quota::default() };
        let quotas = quotas(rate(2), rate(1));
        let now = Instant::now();
        quotas.request_at(Some("bob"), Some("g"), now).unwrap();
        let refused = quotas.request_at(Some("bob"), Some("g"), now).unwrap_err().to_string();
        assert!(refused.contains("graph 'g'") && refused.contains("quotas.graph_requests_per_second"), "{refused}");
        assert!(quotas.request_at(Some("bob"), Some("other"), now).is_ok());
        assert!(quotas.request_at(Some("bob"), None, now).is_err(), "its own two are used");
        // Without users, only graphs have quotas.
        assert!(quotas.request_at(None, Some("third"), now).is_ok());
        assert!(quotas.request_at(None, Some("third"), now).is_err());
    }

    #[test]
    fn bytes_that_were_too_many_are_made_up_for() {
        let quotas = quotas(Quota { bytes_per_second: 1_000, ..Quota::default() }, Quota::default());
        let start = Instant::now();
        let at = |ms: u64| start + Duration::from_millis(ms);
        quotas.request_at(Some("bob"), None, at(0)).unwrap();
        quotas.note_bytes_at(Some("bob"), None, 1_000, at(0));
        assert!(quotas.request_at(Some("bob"), None, at(0)).is_ok(), "exactly what there was");
        quotas.note_bytes_at(Some("bob"), None, 2_500, at(0));
        let refused = quotas.request_at(Some("bob"), None, at(0)).unwrap_err();
        assert_eq!(refused.retry_after_s, 3);
        assert!(quotas.request_at(Some("bob"), None, at(2_499)).is_err());
        assert!(quotas.request_at(Some("bob"), None, at(2_501)).is_ok());
    }

    #[test]
    fn queries_and_their_memory_are_given_back() {
        let quota = Quota { running_queries_max: 2, query_memory_max: 100, ..Quota::default() };
        let quotas = quotas(quota, Quota::default());
        let ask = |memory| quotas.query(Some("bob"), Some("g"), memory);
        let first = ask(60).unwrap();
        let refused = ask(41).err().unwrap().to_string();
        assert!(refused.contains("quotas.user_query_memory_max"), "{refused}");
        let second = ask(40).unwrap();
        let refused = ask(0).err().unwrap().to_string();
        assert!(refused.contains("quotas.user_running_queries_max"), "{refused}");
        drop((first, second));
        let large = ask(1_000).unwrap();
        assert!(large.is_some(), "one alone has room");
        assert!(quotas.query(Some("admin"), None, 1_000).unwrap().is_none());
        drop(large);
        assert!(quotas.holders.lock().values().all(|used| used.running == 0 && used.memory == 0));
    }

    #[test]
    fn the_list_of_holders_is_bounded() {
        let quotas = quotas(Quota { requests_per_second: 1, ..Quota::default() }, Quota::default());
        let start = Instant::now();
        for at in 0..QUOTA_HOLDERS_MAX {
            quotas.request_at(Some(&at.to_string()), None, start).unwrap();
        }
        quotas.request_at(Some("one more"), None, start + Duration::from_secs(2)).unwrap();
        assert_eq!(quotas.holders.lock().len(), 1);
    }
}
