//! Progress of a load: events go to a [`LoadObserver`]; [`ConsoleProgress`] displays them.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use serde::{Deserialize, Serialize};

use crate::limits::PLAIN_PROGRESS_SECONDS;

/// How much there is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadPlan {
    /// Source files; one that gives both vertices and edges is read, and counted, twice.
    pub files: u64,
    /// Bytes to read from disk.
    pub bytes: u64,
}

/// The two parts of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Vertices of all structs.
    Vertices,
    /// Edges of all structs.
    Edges,
}

/// Receives the events of a load. All methods do nothing by default and must return quickly.
pub trait LoadObserver: Send + Sync {
    /// The load begins.
    fn started(&self, _plan: LoadPlan) {}
    /// A part begins.
    fn phase(&self, _phase: Phase) {}
    /// More bytes were read from disk.
    fn bytes_read(&self, _bytes: u64) {}
    /// The server accepted elements (in a dry run: they would have been sent).
    fn inserted(&self, _elements: u64) {}
    /// Rows were rejected.
    fn rejected(&self, _rows: u64) {}
    /// Elements are being counted on the server, before or after.
    fn counting(&self, _label: &str) {}
    /// An offline load has read a whole phase and begins to merge this many rows into the store.
    fn storing(&self, _phase: Phase, _rows: u64) {}
    /// This many of these rows have been merged.
    fn stored(&self, _rows: u64) {}
    /// An offline load builds an index label.
    fn indexing(&self, _name: &str) {}
    /// The load has ended, successfully or not.
    fn finished(&self) {}
}

/// Ignores all events.
#[derive(Clone, Copy, Debug, Default)]
pub struct SilentObserver;

impl LoadObserver for SilentObserver {}

/// Shows progress on standard error: a bar with rate and time left on a terminal, else a plain line every few seconds.
pub struct ConsoleProgress {
    bar: ProgressBar,
    terminal: bool,
    state: Mutex<State>,
}

struct State {
    phase: &'static str,
    inserted: u64,
    rejected: u64,
    bytes: u64,
    bytes_total: u64,
    /// Rows merged and their total number, during the merge.
    rows: Option<(u64, u64)>,
    started: Instant,
    last_line: Instant,
}

impl ConsoleProgress {
    /// Ready to be given to [`load`](crate::load()).
    #[must_use]
    pub fn new() -> Self {
        let terminal = std::io::stderr().is_terminal();
        let target = if terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let now = Instant::now();
        let state = State {
            phase: "",
            inserted: 0,
            rejected: 0,
            bytes: 0,
            bytes_total: 0,
            rows: None,
            started: now,
            last_line: now,
        };
        Self { bar: ProgressBar::with_draw_target(Some(0), target), terminal, state: Mutex::new(state) }
    }

    fn update(&self, change: impl FnOnce(&mut State)) {
        let mut state = match self.state.lock() {
            Ok(state) => state,
            Err(poisoned) => poisoned.into_inner(),
        };
        change(&mut state);
        self.bar.set_position(state.bytes);
        self.bar.set_message(state.text());
        if !self.terminal && state.last_line.elapsed() >= Duration::from_secs(PLAIN_PROGRESS_SECONDS) {
            state.last_line = Instant::now();
            let (bytes, total) = (HumanBytes(state.bytes), HumanBytes(state.bytes_total));
            line(&format!("load: {bytes} of {total} read, {}", state.text()));
        }
    }
}

impl Default for ConsoleProgress {
    fn default() -> Self {
        Self::new()
    }
}

impl State {
    fn text(&self) -> String {
        let millis = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX).max(1);
        let rate = self.inserted.saturating_mul(1_000) / millis;
        let mut text = format!("{}: {} inserted, {}/s", self.phase, HumanCount(self.inserted), HumanCount(rate));
        if let Some((rows, total)) = self.rows {
            text.push_str(&format!(", {} of {} rows stored", HumanCount(rows), HumanCount(total)));
        }
        if self.rejected > 0 {
            text.push_str(&format!(", {} rejected", HumanCount(self.rejected)));
        }
        text
    }
}

/// Writes a line to standard error, ignoring failures.
fn line(text: &str) {
    drop(writeln!(std::io::stderr().lock(), "{text}"));
}

impl LoadObserver for ConsoleProgress {
    fn started(&self, plan: LoadPlan) {
        let template = "{bar:30} {bytes}/{total_bytes}  {msg}  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
        self.bar.set_length(plan.bytes);
        if !self.terminal {
            line(&format!("load: {} files, {}", plan.files, HumanBytes(plan.bytes)));
        }
        self.update(|state| {
            state.bytes_total = plan.bytes;
            state.started = Instant::now();
        });
    }

    fn phase(&self, phase: Phase) {
        let name = match phase {
            Phase::Vertices => "vertices",
            Phase::Edges => "edges",
        };
        self.update(|state| {
            state.phase = name;
            state.rows = None;
        });
    }

    fn bytes_read(&self, bytes: u64) {
        self.update(|state| state.bytes = state.bytes.saturating_add(bytes));
    }

    fn inserted(&self, elements: u64) {
        self.update(|state| state.inserted = state.inserted.saturating_add(elements));
    }

    fn rejected(&self, rows: u64) {
        self.update(|state| state.rejected = state.rejected.saturating_add(rows));
    }

    fn counting(&self, label: &str) {
        self.bar.set_message(format!("counting {label} on the server"));
    }

    fn storing(&self, _phase: Phase, rows: u64) {
        self.update(|state| state.rows = Some((0, rows)));
    }

    fn stored(&self, rows: u64) {
        self.update(|state| {
            if let Some((stored, _)) = &mut state.rows {
                *stored += rows;
            }
        });
    }

    fn indexing(&self, name: &str) {
        self.bar.set_message(format!("building the index {name}"));
    }

    fn finished(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_counts_and_rejections() {
        let progress = ConsoleProgress::new();
        progress.started(LoadPlan { files: 1, bytes: 10 });
        progress.phase(Phase::Edges);
        progress.inserted(1_500);
        progress.rejected(2);
        let text = progress.state.lock().unwrap().text();
        assert!(text.starts_with("edges: 1,500 inserted") && text.ends_with("2 rejected"), "{text}");
        progress.finished();
    }
}
