//! Which queries were slow of late.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

use crate::limits::{PLAN_BYTES_KEPT, SLOW_QUERIES_KEPT};
use crate::running::{Registered, shortened};

/// A query that took long, and has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowQuery {
    /// The number it had while it ran.
    pub id: u64,
    /// The graph it worked on.
    pub graph: String,
    /// Its text, cut off where it is long.
    pub text: String,
    /// Who asked.
    pub user: String,
    /// When it ended, in milliseconds since 1970 UTC.
    pub ended_ms: u64,
    /// How long it worked, in milliseconds.
    pub took_ms: u64,
    /// Its results.
    pub rows: u64,
    /// Its plan; of Gremlin that of its last traversal.
    pub plan: String,
    /// What it failed with, if it did.
    pub error: Option<String>,
}

/// The slow queries of one server, as many as [`SLOW_QUERIES_KEPT`].
#[derive(Default)]
pub(crate) struct Slow(Mutex<VecDeque<SlowQuery>>);

impl Slow {
    /// Keeps a query that ends, and logs it, where it took `limit` or longer; a limit of zero keeps none. `plan` says
    /// its plan, where it is not that of its last traversal.
    pub(crate) fn note(
        &self,
        running: &Registered<'_>,
        limit: Duration,
        error: Option<&str>,
        plan: Option<&dyn Fn() -> String>,
    ) {
        let took = running.elapsed();
        if limit.is_zero() || took < limit {
            return;
        }
        let ended = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let query = SlowQuery {
            id: running.id(),
            graph: running.graph().to_owned(),
            text: running.text().to_owned(),
            user: running.user().to_owned(),
            ended_ms: milliseconds(ended),
            took_ms: milliseconds(took),
            rows: running.rows(),
            plan: shortened(&plan.map_or_else(|| running.plan(), |plan| plan()), PLAN_BYTES_KEPT),
            error: error.map(str::to_owned),
        };
        tracing::warn!(
            graph = query.graph,
            user = query.user,
            elapsed_ms = query.took_ms,
            rows = query.rows,
            error = query.error,
            plan = query.plan,
            "slow query: {}",
            query.text
        );
        let mut kept = self.0.lock();
        if kept.len() >= SLOW_QUERIES_KEPT {
            kept.pop_front();
        }
        kept.push_back(query);
    }

    /// Those on a graph, the latest first.
    pub(crate) fn of_graph(&self, graph: &str) -> Vec<SlowQuery> {
        self.0.lock().iter().rev().filter(|query| query.graph == graph).cloned().collect()
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cancel::Cancel;
    use crate::running::Running;

    #[test]
    fn the_latest_slow_queries_of_a_graph_are_kept() {
        let (slow, running) = (Slow::default(), Running::default());
        let cancel = Cancel::default();
        let limit = Duration::from_nanos(1);
        for number in 0..=SLOW_QUERIES_KEPT {
            let query = running.begin("modern", &format!("g.V({number})"), "ann", &cancel);
            query.add(2, 20);
            slow.note(&query, limit, Some("too late").filter(|_| number == SLOW_QUERIES_KEPT), None);
        }
        let kept = slow.of_graph("modern");
        assert_eq!(kept.len(), SLOW_QUERIES_KEPT);
        let first = &kept[0];
        assert_eq!((first.rows, first.error.as_deref(), first.user.as_str()), (2, Some("too late"), "ann"));
        assert_eq!(first.text, format!("g.V({SLOW_QUERIES_KEPT})"));
        assert_eq!(kept.last().unwrap().text, "g.V(1)", "the oldest is gone");
        assert!(slow.of_graph("other").is_empty());
        slow.note(&running.begin("other", "g.V()", "ann", &cancel), Duration::ZERO, None, None);
        slow.note(&running.begin("other", "g.V()", "ann", &cancel), Duration::from_secs(60), None, None);
        assert!(slow.of_graph("other").is_empty());
    }
}
