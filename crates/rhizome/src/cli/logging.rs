//! Messages on standard error, as text or as JSON lines.

use anyhow::Context as _;
use rhizome::settings::{Log, LogFormat};
use tracing_subscriber::EnvFilter;

/// Starts logging as the settings say.
pub(super) fn start(log: &Log) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&log.level)
        .with_context(|| format!("setting 'log.level' is '{}', which is neither a level nor a filter", log.level))?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match log.format {
        LogFormat::Text => {
            builder.with_ansi(console::colors_enabled_stderr()).with_target(false).init();
        }
        LogFormat::Json => builder.json().flatten_event(true).init(),
    }
    Ok(())
}
