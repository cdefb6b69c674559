//! The archived log of a server: its start, and its figures.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use backup_service::{ArchiveOptions, Archiver, Backups, LogState};
use rhizome::settings::Settings;
use serving::Metrics;

/// Starts archiving, where the settings want it.
pub(super) fn start(settings: &Settings, backups: &Arc<Backups>) -> anyhow::Result<Option<Archiver>> {
    if settings.backup.archive_interval_ms == 0 {
        return Ok(None);
    }
    let options = ArchiveOptions {
        interval: Duration::from_millis(settings.backup.archive_interval_ms),
        queue_bytes_max: settings.backup.archive_queue_bytes_max.as_u64(),
    };
    Ok(Some(Archiver::start(backups, options)?))
}

/// Shows among the metrics how far the archive of the log is: 0 everywhere, if it is not archived.
pub(super) fn measure(settings: &Settings, backups: &Arc<Backups>, metrics: &Metrics) {
    let is_archived = settings.backup.archive_interval_ms > 0;
    let opened = SystemTime::now();
    let gauge = |name: &str, help: &str, look: fn(&LogState) -> u64| {
        let log = backups.log();
        metrics.gauge_of(name, help, move || i64::try_from(look(&log)).unwrap_or(i64::MAX));
    };
    let log = backups.log();
    metrics.gauge_of(
        "rhizome_backup_log_age_seconds",
        "Age of the moment up to which the log is in the repository: what would be lost with the disk",
        move || {
            if !is_archived {
                return 0;
            }
            let until = UNIX_EPOCH + Duration::from_millis(u64::try_from(log.until_ms()).unwrap_or(0));
            // Nothing was archived yet: since the server was started.
            let age = SystemTime::now().duration_since(until.max(opened)).unwrap_or_default();
            i64::try_from(age.as_secs()).unwrap_or(i64::MAX)
        },
    );
    gauge(
        "rhizome_backup_log_waiting_bytes",
        "Bytes of finished files of the log that wait to be put into the repository",
        LogState::waiting_bytes,
    );
    gauge(
        "rhizome_backup_log_archived_bytes",
        "Bytes of the log that were put into the repository since the start",
        LogState::archived_bytes,
    );
    gauge("rhizome_backup_log_failures", "Attempts to archive the log that failed since the start", LogState::failures);
    gauge(
        "rhizome_backup_log_breaks",
        "Holes in the archived log since the start; a backup is made after each",
        LogState::breaks,
    );
}
