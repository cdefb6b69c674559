//! Which queries run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use query_plan::Plan;

use crate::cancel::{Cancel, Reason};
use crate::limits::TEXT_BYTES_KEPT;

/// A query that runs, as it was a moment ago.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningQuery {
    /// Its number, by which it can be ended.
    pub id: u64,
    /// The graph it works on.
    pub graph: String,
    /// Its text, cut off where it is long.
    pub text: String,
    /// Who asked.
    pub user: String,
    /// How long it has worked, in milliseconds.
    pub age_ms: u64,
    /// Results so far.
    pub rows: u64,
    /// Bytes of results so far.
    pub bytes: u64,
    /// The plan of the traversal that runs.
    pub plan: String,
}

/// The queries of one server.
#[derive(Default)]
pub(crate) struct Running {
    next: AtomicU64,
    entries: Mutex<BTreeMap<u64, Arc<Entry>>>,
}

struct Entry {
    graph: String,
    text: String,
    user: String,
    began: Instant,
    rows: AtomicU64,
    bytes: AtomicU64,
    plan: Mutex<Option<Arc<Plan>>>,
    cancel: Cancel,
}

impl Entry {
    fn plan_text(&self) -> String {
        let plan = self.plan.lock().clone();
        plan.map(|plan| query_plan::explain(&plan)).unwrap_or_default()
    }
}

/// A query's place in the list, until it is dropped.
pub(crate) struct Registered<'r> {
    running: &'r Running,
    id: u64,
    entry: Arc<Entry>,
}

impl Running {
    pub(crate) fn begin(&self, graph: &str, text: &str, user: &str, cancel: &Cancel) -> Registered<'_> {
        let entry = Arc::new(Entry {
            graph: graph.to_owned(),
            text: shortened(text, TEXT_BYTES_KEPT),
            user: user.to_owned(),
            began: Instant::now(),
            rows: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            plan: Mutex::default(),
            cancel: cancel.clone(),
        });
        let id = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        self.entries.lock().insert(id, Arc::clone(&entry));
        Registered { running: self, id, entry }
    }

    /// Those on a graph, the oldest first.
    pub(crate) fn of_graph(&self, graph: &str) -> Vec<RunningQuery> {
        let entries: Vec<_> = self.entries.lock().iter().map(|(id, entry)| (*id, Arc::clone(entry))).collect();
        let of_graph = entries.into_iter().filter(|(_, entry)| entry.graph == graph);
        of_graph
            .map(|(id, entry)| RunningQuery {
                id,
                graph: entry.graph.clone(),
                text: entry.text.clone(),
                user: entry.user.clone(),
                age_ms: u64::try_from(entry.began.elapsed().as_millis()).unwrap_or(u64::MAX),
                rows: entry.rows.load(Ordering::Relaxed),
                bytes: entry.bytes.load(Ordering::Relaxed),
                plan: entry.plan_text(),
            })
            .collect()
    }

    /// Ends one of a graph; false if there is none of the number.
    pub(crate) fn kill(&self, graph: &str, id: u64) -> bool {
        let entry = self.entries.lock().get(&id).cloned().filter(|entry| entry.graph == graph);
        entry.inspect(|entry| entry.cancel.end(Reason::Killed)).is_some()
    }
}

impl Registered<'_> {
    pub(crate) fn add(&self, rows: u64, bytes: u64) {
        self.entry.rows.fetch_add(rows, Ordering::Relaxed);
        self.entry.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn rows(&self) -> u64 {
        self.entry.rows.load(Ordering::Relaxed)
    }

    /// Says what is carried out now. It becomes a text only where somebody looks at it.
    pub(crate) fn set_plan(&self, plan: &Arc<Plan>) {
        *self.entry.plan.lock() = Some(Arc::clone(plan));
    }

    pub(crate) fn plan(&self) -> String {
        self.entry.plan_text()
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.entry.began.elapsed()
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn graph(&self) -> &str {
        &self.entry.graph
    }

    pub(crate) fn text(&self) -> &str {
        &self.entry.text
    }

    pub(crate) fn user(&self) -> &str {
        &self.entry.user
    }
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        self.running.entries.lock().remove(&self.id);
    }
}

/// The beginning of a text, of so many bytes at the most.
pub(crate) fn shortened(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let end = (0..=bytes_max).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    format!("{}...", text.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_listed_while_it_runs_and_can_be_ended() {
        let running = Running::default();
        let cancel = Cancel::default();
        let registered = running.begin("modern", "g.V()", "anonymous", &cancel);
        registered.add(3, 40);
        let listed = running.of_graph("modern");
        assert_eq!(listed.len(), 1);
        assert_eq!((listed[0].rows, listed[0].bytes, listed[0].text.as_str()), (3, 40, "g.V()"));
        assert!(running.of_graph("other").is_empty());
        assert!(!running.kill("other", listed[0].id));
        assert!(running.kill("modern", listed[0].id));
        assert_eq!(cancel.reason(), Some(Reason::Killed));
        drop(registered);
        assert!(running.of_graph("modern").is_empty());
    }

    #[test]
    fn long_texts_are_cut_at_a_character() {
        let text = "é".repeat(TEXT_BYTES_KEPT);
        assert!(shortened(&text, TEXT_BYTES_KEPT).len() <= TEXT_BYTES_KEPT + 3);
    }
}
