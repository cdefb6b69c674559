//! How far an analysis is, for people.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use graph_analysis::{Observer, Progress};
use graph_store::StoreError;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Of work of which it is known how much there is.
const KNOWN: &str = "{spinner} {msg:<12} {wide_bar} {percent:>3}%";

/// Of other work.
const UNKNOWN: &str = "{spinner} {msg:<12} {pos}";

/// A bar on standard error, where somebody looks at it.
pub(super) struct Bar {
    bar: ProgressBar,
    rows: AtomicU64,
}

impl Bar {
    pub(super) fn new() -> anyhow::Result<Self> {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template(UNKNOWN)?);
        bar.enable_steady_tick(Duration::from_millis(200));
        Ok(Self { bar, rows: AtomicU64::new(0) })
    }

    /// Begins a part of the work, of so many steps; 0: nobody knows.
    pub(super) fn begin(&self, what: &'static str, steps: u64) {
        self.rows.store(0, Ordering::Relaxed);
        let style = ProgressStyle::with_template(if steps == 0 { UNKNOWN } else { KNOWN });
        if let Ok(style) = style {
            self.bar.set_style(style);
        }
        self.bar.set_length(steps);
        self.bar.set_position(0);
        self.bar.set_message(what);
    }

    /// Rows read since the last [`begin`](Self::begin).
    pub(super) fn rows_read(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Says something on standard error, above the bar.
    pub(super) fn say(&self, text: &str) {
        self.bar.suspend(|| drop(std::io::Write::write_all(&mut std::io::stderr(), format!("{text}\n").as_bytes())));
    }

    /// Takes the bar away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Bar {
    fn check(&self) -> Result<(), StoreError> {
        // Whoever does not want it any more ends the process.
        Ok(())
    }

    fn rows(&self, more: u64) {
        self.bar.set_position(self.rows.fetch_add(more, Ordering::Relaxed) + more);
    }

    fn progress(&self, at: Progress) {
        if self.bar.message() != at.phase {
            self.begin(at.phase, at.of);
        }
        self.bar.set_position(at.done);
    }
}
