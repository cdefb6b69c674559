//! How far a command is, for people.

use std::time::Duration;

use backup::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on standard error, where somebody looks at it.
pub(super) fn bar(prefix: &'static str) -> anyhow::Result<ProgressBar> {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(ProgressStyle::with_template("{spinner} {prefix}: {bytes} of {total_bytes}, {bytes_per_sec}")?);
    bar.set_prefix(prefix);
    bar.enable_steady_tick(Duration::from_millis(200));
    Ok(bar)
}

/// Shows how far it is; goes on.
pub(super) fn show(bar: &ProgressBar, at: Progress) -> bool {
    bar.set_length(at.bytes_total);
    bar.set_position(at.bytes_done);
    true
}
