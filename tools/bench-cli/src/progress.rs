//! What a person sees while a test runs, and the file of samples that is written meanwhile.

use std::fs::File;
use std::io::BufWriter;
use std::time::Duration;

use anyhow::anyhow;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use load_test::jtl::JtlWriter;
use load_test::limits::SAMPLES_PER_ROW_MAX;
use load_test::output::JTL_FILE;
use load_test::result::Row;
use load_test::{Observer, Phase, Progress, RowSamples, RowStart, figures};

/// A progress bar on standard error; also writes samples if requested.
pub(crate) struct Screen {
    bar: ProgressBar,
    title: String,
    planned: Duration,
    jtl: Option<JtlWriter<BufWriter<File>>>,
    jtl_error: Option<std::io::Error>,
    /// The widest [`RowSamples::stride`] of all rows.
    stride: u64,
}

impl Screen {
    /// Samples of every row are written to `jtl`.
    pub(crate) fn new(jtl: Option<JtlWriter<BufWriter<File>>>) -> anyhow::Result<Self> {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template("{prefix} {bar:24} {percent:>3}%  {msg}")?);
        Ok(Self { bar, title: String::new(), planned: Duration::ZERO, jtl, jtl_error: None, stride: 1 })
    }

    /// Prints a text to standard output, above the bar.
    pub(crate) fn print_above(&self, text: &str) -> anyhow::Result<()> {
        self.bar.suspend(|| crate::terminal::print(text))
    }

    /// Removes the bar and finishes the file of samples.
    pub(crate) fn finish(self) -> std::io::Result<()> {
        self.bar.finish_and_clear();
        if self.jtl.is_some() && self.stride > 1 {
            crate::terminal::warn(&anyhow!(
                "{JTL_FILE} has one request in {} where most were made: it keeps {} of a row",
                self.stride,
                figures::count(SAMPLES_PER_ROW_MAX as u64)
            ));
        }
        match (self.jtl_error, self.jtl) {
            (Some(error), _) => Err(error),
            (None, Some(jtl)) => jtl.finish(),
            (None, None) => Ok(()),
        }
    }
}

impl Observer for Screen {
    fn preparing(&mut self, what: &str, done: u64, total: u64) {
        self.bar.set_prefix(format!("preparing {what}"));
        self.bar.set_length(total);
        self.bar.set_position(done);
        self.bar.set_message(format!("{} of {}", figures::count(done), figures::count(total)));
    }

    fn row_started(&mut self, start: &RowStart) {
        self.title = match start.offered_per_s {
            Some(rate) => format!("{}, {} users, {rate:.0}/s", start.scenario, start.concurrency),
            None => format!("{}, {} users", start.scenario, start.concurrency),
        };
        self.planned = start.planned;
        self.bar.set_length(u64::try_from(start.planned.as_millis()).unwrap_or(u64::MAX));
        self.bar.set_position(0);
        self.bar.set_prefix(self.title.clone());
        self.bar.set_message("");
    }

    fn progress(&mut self, progress: &Progress) {
        let elapsed = progress.elapsed.min(self.planned);
        self.bar.set_position(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX));
        self.bar.set_message(match progress.phase {
            Phase::WarmUp => "warming up".to_owned(),
            Phase::Draining => format!("waiting for the last answers, {} errors", figures::count(progress.errors)),
            Phase::Measuring => {
                #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
                let p99 = figures::ms(progress.p99_us as f64);
                format!(
                    "{}/s, mean {} ms, p99 {p99} ms, {} errors",
                    figures::number(progress.rate_per_s),
                    figures::ms(progress.mean_us),
                    figures::count(progress.errors),
                )
            }
        });
    }

    fn row_finished(&mut self, scenario: &str, row: &Row, samples: &RowSamples) {
        self.stride = self.stride.max(samples.stride);
        if let Some(jtl) = &mut self.jtl
            && let Err(error) = jtl.row(scenario, row, samples)
        {
            // Told at the end: a full disk must not cost the results.
            self.jtl_error.get_or_insert(error);
        }
    }
}
