//! `rhizome backup restore --to`: a store as it was at any moment.

use std::path::Path;

use anyhow::{Context as _, bail};
use backup::{Manifest, Repository, Until, moment_text};
use bytesize::ByteSize;
use jiff::Timestamp;
use rhizome::engine;
use rhizome::settings::{EngineName, Settings};

use super::progress::{bar, show};

/// Restores what was stored at a moment. `base`: the backup to begin with, if one is named.
pub(super) fn restore(
    repository: &Repository,
    mut settings: Settings,
    to: &str,
    base: Option<&str>,
    folder: &Path,
) -> anyhow::Result<()> {
    let until = match to {
        "newest" => Until::Newest,
        moment => {
            let moment: Timestamp = moment
                .parse()
                .with_context(|| format!("--to {moment}: write a moment as 2026-11-25T18:00:00Z, or \"newest\""))?;
            Until::Moment(moment.as_millisecond())
        }
    };
    let plan = repository.plan(until, base)?;
    check_format(&plan.base)?;
    settings.storage.engine = EngineName::Rocksdb;
    folder.clone_into(&mut settings.storage.data_dir);
    let bar = bar("restoring")?;
    let open = |_: &Path| engine::open_restoring(&settings.storage);
    let done = backup_service::restore_to(repository, &plan, folder, &open, &|at| show(&bar, at));
    bar.finish_and_clear();
    let done = done?;
    super::super::terminal::print(&format!(
        "backup {} ({}) and {} records of the log after it restored into {}, every checksum verified; the last one is \
         of {}\n",
        plan.base.id,
        ByteSize(plan.base.bytes()),
        done.records,
        folder.display(),
        done.moment_ms.map_or("before the backup".to_owned(), moment_text)
    ))
}

/// Fails for a backup that this program cannot read.
pub(super) fn check_format(manifest: &Manifest) -> anyhow::Result<()> {
    if manifest.store_format > key_codec::FORMAT_VERSION {
        bail!(
            "backup {} has storage format {}, but this program reads {} at most; restore it with {}",
            manifest.id,
            manifest.store_format,
            key_codec::FORMAT_VERSION,
            manifest.program
        );
    }
    Ok(())
}
