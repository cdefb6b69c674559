//! Removing backups that no rule keeps, and chunks that no backup needs.

use std::collections::BTreeSet;

use crate::BackupError;
use crate::limits::FENCE_KEPT;
use crate::lock::{self, FENCES, Kind, Lock};
use crate::manifest::{self, Manifest};
use crate::repository::{CHUNKS, Listed, Repository, object_of};
use crate::retention::Keep;

/// What was removed.
#[derive(Clone, Debug, Default)]
pub struct Pruned {
    /// The backups that were removed, oldest first.
    pub removed: Vec<String>,
    /// Those that were kept, oldest first.
    pub kept: Vec<String>,
    /// Chunks that nothing needed.
    pub chunks: usize,
    /// Bytes these took.
    pub bytes: u64,
}

impl Repository {
    /// Removes what the rules do not keep. `dry_run`: says what would be removed, and changes nothing.
    ///
    /// # Errors
    /// [`BackupError::KeepsNothing`]; [`BackupError::Busy`] while somebody makes, reads or removes backups;
    /// [`BackupError::Damaged`] where a manifest cannot be read, since what it needs is not known then: nothing was
    /// removed; [`BackupError::Storage`], [`BackupError::LockLost`].
    pub fn prune(&self, keep: &Keep, dry_run: bool) -> Result<Pruned, BackupError> {
        if keep.is_empty() {
            return Err(BackupError::KeepsNothing);
        }
        let mut id = [0; 8];
        crate::crypt::random(&mut id)?;
        let id = format!("prune-{}", crate::crypt::hex(&id));
        let lock = Lock::take(&self.target, &id, Kind::Alone, "backup prune", false)?;
        if !dry_run {
            self.resolve_fences(&lock)?;
        }
        let backups = self.readable()?;
        let moments: Vec<i64> = backups.iter().map(|(_, manifest)| manifest.created_ms).collect();
        let mut kept = Vec::new();
        let mut removed = Vec::new();
        for (backup, is_kept) in backups.into_iter().zip(keep.choose(&moments)) {
            if is_kept { kept.push(backup) } else { removed.push(backup) }
        }
        // First the backups, so that none is there without its chunks, whenever this ends.
        for (listed, _) in &removed {
            self.remove(&lock, &listed.object, dry_run)?;
        }
        let needed: BTreeSet<&str> =
            kept.iter().flat_map(|(_, manifest)| manifest.chunks()).map(|(name, _)| name).collect();
        let ids = |of: &[(Listed, Manifest)]| of.iter().map(|(listed, _)| listed.id.clone()).collect();
        let mut pruned = Pruned { removed: ids(&removed), kept: ids(&kept), ..Pruned::default() };
        for (name, bytes) in self.chunks()? {
            if !needed.contains(name.as_str()) {
                self.remove(&lock, &object_of(&name), dry_run)?;
                pruned.chunks += 1;
                pruned.bytes += bytes;
            }
        }
        if !dry_run {
            for folder in [CHUNKS, manifest::FOLDER] {
                lock.check()?;
                self.target.remove_unfinished(folder)?;
            }
        }
        lock.check_fence()?;
        Ok(pruned)
    }

    fn remove(&self, lock: &Lock, object: &str, dry_run: bool) -> Result<(), BackupError> {
        if dry_run {
            return Ok(());
        }
        lock.check()?;
        self.target.delete(object)
    }

    /// All backups, of which each must be readable.
    fn readable(&self) -> Result<Vec<(Listed, Manifest)>, BackupError> {
        self.list()?
            .into_iter()
            .map(|listed| {
                let manifest = listed.manifest.clone().map_err(|error| match error {
                    BackupError::Damaged { object, reason } => BackupError::Damaged {
                        object,
                        reason: format!(
                            "{reason}; nothing was removed, since nobody knows what it needs. If it is of no use, \
                             delete this object and run it again"
                        ),
                    },
                    other => other,
                })?;
                Ok((listed, manifest))
            })
            .collect()
    }

    /// Settles what became of backups whose makers were taken for gone: one that is complete counts, as it was written
    /// before its maker was; the manifest of any other is removed. Nobody else works on the repository.
    fn resolve_fences(&self, lock: &Lock) -> Result<(), BackupError> {
        let fences = self.target.list(FENCES)?;
        if fences.is_empty() {
            return Ok(());
        }
        let stored = self.chunks()?;
        let objects = self.objects()?;
        let now_ms = lock.now_ms()?;
        for fence in fences {
            let id = fence.name.rsplit('/').next().unwrap_or_default();
            let Some((_, object)) = objects.iter().find(|(of, _)| of == id) else {
                let age_ms = u128::try_from(now_ms.saturating_sub(fence.modified_ms)).unwrap_or_default();
                if age_ms > FENCE_KEPT.as_millis() {
                    self.target.delete(&fence.name)?;
                }
                continue;
            };
            let is_complete = match self.manifest(object) {
                Ok(manifest) => {
                    manifest.chunks().all(|(name, bytes)| stored.get(name) == Some(&self.codec.stored_bytes(bytes)))
                }
                Err(error) if error.is_damage() => false,
                Err(error) => return Err(error),
            };
            lock.check()?;
            if is_complete {
                self.target.delete(&lock::fence(id))?;
            } else {
                self.target.delete(object)?;
            }
        }
        Ok(())
    }
}
