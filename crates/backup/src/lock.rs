//! Locks on a repository: several may add and read backups at once, one alone may remove any.
//!
//! A lock is an object that its holder writes again every minute. Whoever wants one writes it first and then looks for
//! others, so of two that come at once at least one sees the other. A lock that was not refreshed for long, by the
//! clock of the place, or whose process on this machine is gone, is taken over: first an object under `fenced/` says
//! that its holder must not commit any more, then the lock is removed. A holder that only stood still finds that out:
//! it looks for the fence after it has written a manifest, and nobody counts a manifest whose lock was fenced before.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::BackupError;
use crate::limits::{LOCK_POLL, LOCK_REFRESH, LOCK_STALE, LOCK_TRUSTED, LOCK_WAIT, SMALL_BYTES_MAX};
use crate::target::Target;

/// The folder of locks.
pub(crate) const LOCKS: &str = "locks";
/// The folder of fences.
pub(crate) const FENCES: &str = "fenced";

/// What others may do meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// Add and read backups.
    Shared,
    /// Nothing.
    Alone,
}

/// What a lock says.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Holder {
    kind: Kind,
    /// What it does, for people.
    doing: String,
    /// The machine, and where on it processes have the numbers they have.
    host: String,
    process: u32,
    /// When the process was started, in the system's ticks: numbers of processes are used again.
    process_started: u64,
}

impl Holder {
    fn this(kind: Kind, doing: &str) -> Self {
        let process = std::process::id();
        let process_started = started(process).unwrap_or_default();
        Self { kind, doing: doing.to_owned(), host: host(), process, process_started }
    }

    /// Whether its process is known to have ended.
    fn is_gone(&self) -> bool {
        !self.host.is_empty() && self.host == host() && started(self.process) != Some(self.process_started)
    }
}

/// This machine since it was started, and its set of processes. Empty where the system does not tell.
fn host() -> String {
    let read = |path| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let processes = std::fs::read_link("/proc/self/ns/pid").ok().map(|link| link.display().to_string());
    match (read("/proc/sys/kernel/random/boot_id"), processes) {
        (Some(boot), Some(processes)) => format!("{boot} {processes}"),
        _ => String::new(),
    }
}

/// When a process was started; `None`: there is none of the number.
fn started(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("stat")).ok()?;
    // The name of the program, in brackets, may hold anything.
    text.rsplit_once(')')?.1.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// A lock. Dropping it gives it back.
pub(crate) struct Lock {
    target: Arc<Target>,
    id: String,
    /// When it was last known to be there.
    refreshed: Arc<Mutex<Instant>>,
    stop: Option<Sender<()>>,
    refresher: Option<JoinHandle<()>>,
}

impl Lock {
    /// Takes a lock of this name, which nobody has used before. `wait`: while it is refused, it is tried again for a
    /// while.
    pub(crate) fn take(
        target: &Arc<Target>,
        id: &str,
        kind: Kind,
        doing: &str,
        wait: bool,
    ) -> Result<Self, BackupError> {
        let object = format!("{LOCKS}/{id}");
        let content = serde_json::to_vec(&Holder::this(kind, doing)).unwrap_or_default();
        let until = Instant::now() + LOCK_WAIT;
        loop {
            let taken = Instant::now();
            target.put(&object, content.clone())?;
            match conflict(target, id, kind) {
                Ok(None) => return Self::start(Arc::clone(target), id, content, taken),
                Ok(Some(_)) if wait && Instant::now() < until => {
                    target.delete(&object)?;
                    std::thread::sleep(LOCK_POLL);
                }
                outcome => {
                    target.delete(&object)?;
                    let holder = outcome?.unwrap_or_default();
                    return Err(BackupError::Busy { holder });
                }
            }
        }
    }

    fn start(target: Arc<Target>, id: &str, content: Vec<u8>, taken: Instant) -> Result<Self, BackupError> {
        let refreshed = Arc::new(Mutex::new(taken));
        let (stop, stopped) = channel();
        let mut lock =
            Self { target: Arc::clone(&target), id: id.to_owned(), refreshed, stop: Some(stop), refresher: None };
        let (of_thread, name) = (Arc::clone(&lock.refreshed), id.to_owned());
        let thread = std::thread::Builder::new()
            .name("backup-lock".to_owned())
            .spawn(move || {
                threads::run_anywhere();
                refresh(&target, &name, &content, &of_thread, &stopped);
            })
            .map_err(|error| BackupError::LockLost { reason: format!("no thread to refresh it: {error}") })?;
        lock.refresher = Some(thread);
        Ok(lock)
    }

    /// Fails if somebody may have taken over. Costs nothing.
    pub(crate) fn check(&self) -> Result<(), BackupError> {
        let age = self.refreshed.lock().elapsed();
        if age > LOCK_TRUSTED {
            return Err(BackupError::LockLost { reason: format!("it was not refreshed for {} s", age.as_secs()) });
        }
        Ok(())
    }

    /// When it was last written, by the clock of the place: milliseconds since 1970 UTC.
    pub(crate) fn now_ms(&self) -> Result<i64, BackupError> {
        let found = self.target.modified_ms(&format!("{LOCKS}/{}", self.id))?;
        found.ok_or(BackupError::LockLost { reason: "it is gone".to_owned() })
    }

    /// Fails if somebody has taken over.
    pub(crate) fn check_fence(&self) -> Result<(), BackupError> {
        match self.target.modified_ms(&fence(&self.id))? {
            Some(_) => Err(BackupError::LockLost { reason: "somebody else took it over".to_owned() }),
            None => Ok(()),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.refresher.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that refreshes a lock on a repository panicked");
        }
        if let Err(error) = self.target.delete(&format!("{LOCKS}/{}", self.id)) {
            tracing::warn!(%error, "a lock on the repository remains until it is old");
        }
    }
}

/// The object that tells a holder not to commit any more.
pub(crate) fn fence(id: &str) -> String {
    format!("{FENCES}/{id}")
}

fn refresh(target: &Target, id: &str, content: &[u8], refreshed: &Mutex<Instant>, stopped: &Receiver<()>) {
    let object = format!("{LOCKS}/{id}");
    while stopped.recv_timeout(LOCK_REFRESH) == Err(RecvTimeoutError::Timeout) {
        let now = Instant::now();
        // One that was taken over must not come back.
        let outcome = target.modified_ms(&object).and_then(|found| match found {
            Some(_) => target.put(&object, content.to_vec()),
            None => Err(BackupError::LockLost { reason: "it is gone".to_owned() }),
        });
        match outcome {
            Ok(()) => *refreshed.lock() = now,
            Err(error) => tracing::warn!(%error, "the lock on the repository could not be refreshed"),
        }
    }
}

/// Who else has a lock that excludes this one, for people.
fn conflict(target: &Target, id: &str, kind: Kind) -> Result<Option<String>, BackupError> {
    let own = format!("{LOCKS}/{id}");
    let now_ms = target.modified_ms(&own)?.ok_or(BackupError::LockLost { reason: "it is gone".to_owned() })?;
    for other in target.list(LOCKS)?.into_iter().filter(|other| other.name != own) {
        let holder: Option<Holder> = match target.get(&other.name, SMALL_BYTES_MAX) {
            Ok(content) => serde_json::from_slice(&content).ok(),
            Err(BackupError::Missing { .. }) => continue,
            Err(error) => return Err(error),
        };
        // Of one that says nothing the worst is assumed.
        let excludes = kind == Kind::Alone || holder.as_ref().is_none_or(|holder| holder.kind == Kind::Alone);
        if !excludes {
            continue;
        }
        let age_ms = now_ms.saturating_sub(other.modified_ms);
        let is_stale = u128::try_from(age_ms).is_ok_and(|age| age > LOCK_STALE.as_millis());
        if is_stale || holder.as_ref().is_some_and(Holder::is_gone) {
            take_over(target, &other.name)?;
            continue;
        }
        let age = Duration::from_millis(u64::try_from(age_ms).unwrap_or_default()).as_secs();
        return Ok(Some(match holder {
            Some(holder) => format!(
                "process {} does '{}' (last heard of {age} s ago; it counts as gone after {} s)",
                holder.process,
                holder.doing,
                LOCK_STALE.as_secs()
            ),
            None => format!("{} was written {age} s ago by an unknown program", other.name),
        }));
    }
    Ok(None)
}

fn take_over(target: &Target, lock: &str) -> Result<(), BackupError> {
    let id = lock.rsplit('/').next().unwrap_or(lock);
    tracing::info!(lock, "takes over the lock of somebody who is gone");
    target.put(&fence(id), b"{}".to_vec())?;
    target.delete(lock)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, Arc<Target>) {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::open(&folder.path().display().to_string(), true).unwrap();
        (folder, Arc::new(target))
    }

    fn take(target: &Arc<Target>, id: &str, kind: Kind) -> Result<Lock, BackupError> {
        Lock::take(target, id, kind, "a test", false)
    }

    #[test]
    fn several_share_and_one_is_alone() {
        let (_folder, target) = place();
        let one = take(&target, "1", Kind::Shared).unwrap();
        let two = take(&target, "2", Kind::Shared).unwrap();
        let refusal = take(&target, "3", Kind::Alone).err().unwrap().to_string();
        assert!(refusal.contains(&std::process::id().to_string()) && refusal.contains("a test"), "{refusal}");
        drop((one, two));
        let alone = take(&target, "4", Kind::Alone).unwrap();
        assert!(matches!(take(&target, "5", Kind::Shared), Err(BackupError::Busy { .. })));
        alone.check().unwrap();
        alone.check_fence().unwrap();
        drop(alone);
        assert!(target.list(LOCKS).unwrap().is_empty(), "nothing is left of locks that were refused");
        take(&target, "6", Kind::Shared).unwrap();
    }

    #[test]
    fn who_waits_gets_it_when_it_is_free() {
        let (_folder, target) = place();
        let alone = take(&target, "1", Kind::Alone).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| Lock::take(&target, "2", Kind::Shared, "a test", true).map(drop));
            std::thread::sleep(LOCK_POLL);
            drop(alone);
            waiting.join().unwrap().unwrap();
        });
    }

    #[test]
    fn the_lock_of_a_dead_process_is_taken_over_and_fenced() {
        let (_folder, target) = place();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let process_started = started(child.id()).unwrap_or(1);
        child.wait().unwrap();
        let dead = Holder { process: child.id(), process_started, ..Holder::this(Kind::Alone, "it died") };
        target.put("locks/dead", serde_json::to_vec(&dead).unwrap()).unwrap();
        let lock = take(&target, "1", Kind::Shared).unwrap();
        assert!(target.modified_ms("fenced/dead").unwrap().is_some());
        drop(lock);
        // The number of a living process that was started at another time.
        let other = Holder { process_started: 1, ..Holder::this(Kind::Alone, "it died") };
        target.put("locks/reused", serde_json::to_vec(&other).unwrap()).unwrap();
        take(&target, "2", Kind::Alone).unwrap();
        // Of another machine nothing is known but its age.
        let far = Holder { host: "elsewhere".to_owned(), ..dead };
        target.put("locks/far", serde_json::to_vec(&far).unwrap()).unwrap();
        assert!(matches!(take(&target, "3", Kind::Shared), Err(BackupError::Busy { .. })));
    }

    #[test]
    fn an_old_lock_is_taken_over_and_its_holder_finds_out() {
        let (folder, target) = place();
        let old = take(&target, "old", Kind::Shared).unwrap();
        let file = std::fs::File::options().write(true).open(folder.path().join("locks/old")).unwrap();
        file.set_modified(std::time::SystemTime::now() - LOCK_STALE - Duration::from_secs(1)).unwrap();
        let alone = take(&target, "new", Kind::Alone).unwrap();
        assert!(matches!(old.check_fence(), Err(BackupError::LockLost { .. })));
        drop(alone);
    }
}
