//! Messages on standard error, as text or as JSON lines.

use std::fmt::Display;
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use rest_api::LogLevel;
use rhizome::settings::{Log, LogFormat};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::batch_warnings::BatchWarnings;

/// The level of the log, which may be changed.
pub(super) struct Level {
    now: Mutex<String>,
    change: Box<dyn Fn(EnvFilter) -> Result<(), String> + Send + Sync>,
}

impl Level {
    fn new<E: Display>(level: &str, change: impl Fn(EnvFilter) -> Result<(), E> + Send + Sync + 'static) -> Self {
        let change = move |filter| change(filter).map_err(|error| error.to_string());
        Self { now: Mutex::new(level.to_owned()), change: Box::new(change) }
    }
}

impl LogLevel for Level {
    fn level(&self) -> String {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_level(&self, level: &str) -> Result<(), String> {
        let filter = filter(level)?;
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        (self.change)(filter)?;
        level.clone_into(&mut now);
        Ok(())
    }
}

fn filter(level: &str) -> Result<EnvFilter, String> {
    let wrong = "is neither a level (error, warn, info, debug, trace) nor a filter by module";
    let known = |part: &str| {
        let level = part.rsplit_once('=').map_or(part, |(_, level)| level);
        ["off", "error", "warn", "info", "debug", "trace"].iter().any(|known| level.eq_ignore_ascii_case(known))
    };
    // A word that is no level would be taken for the name of a module, and everything else be silent.
    if !level.split(',').any(known) {
        return Err(format!("'{level}' {wrong}"));
    }
    EnvFilter::try_new(level).map_err(|error| format!("'{level}' {wrong}: {error}"))
}

/// Starts logging as the settings say; returns what changes the level.
pub(super) fn start(log: &Log) -> anyhow::Result<Level> {
    let filter = EnvFilter::try_new(&log.level)
        .with_context(|| format!("setting 'log.level' is '{}', which is neither a level nor a filter", log.level))?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match log.format {
        LogFormat::Text => {
            let builder = builder.with_ansi(console::colors_enabled_stderr()).with_target(false);
            let builder = builder.with_filter_reloading();
            let handle = builder.reload_handle();
            builder.finish().with(BatchWarnings::default()).init();
            Ok(Level::new(&log.level, move |filter| handle.reload(filter)))
        }
        LogFormat::Json => {
            let builder = builder.json().flatten_event(true).with_filter_reloading();
            let handle = builder.reload_handle();
            builder.finish().with(BatchWarnings::default()).init();
            Ok(Level::new(&log.level, move |filter| handle.reload(filter)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_no_level_is_refused_and_changes_nothing() {
        let level = Level::new("info", |_| Ok::<(), String>(()));
        let error = level.set_level("loud").unwrap_err();
        assert!(error.contains("'loud' is neither a level"), "{error}");
        assert!(level.set_level("info,rest_api=").is_err() || level.level() != "loud");
        level.set_level("debug,hyper=info").unwrap();
        assert_eq!(level.level(), "debug,hyper=info");
    }
}
