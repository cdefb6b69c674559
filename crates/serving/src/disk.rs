//! Whether there is room for more on the disk of the data. Writes are refused before the disk is full, while there is
//! still room for what the storage engine writes by itself: reads and deletions go on.

use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::limits::DISK_LOOK_PAUSE;

/// The part of a disk that is kept free at most, as a divisor: a small disk has room for something, too.
const SHARE: u64 = 20;

/// The disk has too little room left for writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskLow {
    /// Bytes that are free.
    pub free: u64,
    /// Bytes that must be.
    pub needed: u64,
}

impl fmt::Display for DiskLow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the disk of the data has {} MiB left, less than the {} MiB that are kept free (storage.disk_free_min): \
             writes are refused until there is more, reads and deletions go on",
            self.free >> 20,
            self.needed >> 20
        )
    }
}

impl std::error::Error for DiskLow {}

/// Free and all bytes of the disk of a folder.
type Measure = fn(&std::path::Path) -> std::io::Result<(u64, u64)>;

/// Watches the disk of a folder, or nothing.
pub struct DiskSpace(Option<Watched>);

struct Watched {
    folder: PathBuf,
    free_min: u64,
    measure: Measure,
    /// When it was looked at, and what was found.
    last: Mutex<Option<(Instant, Result<(), DiskLow>)>>,
}

impl DiskSpace {
    /// Watches nothing.
    #[must_use]
    pub fn unwatched() -> Self {
        Self(None)
    }

    /// Watches the disk of a folder, of which `free_min` bytes, at most a twentieth of it, are to stay free.
    #[must_use]
    pub fn of(folder: PathBuf, free_min: u64) -> Self {
        Self::measured(folder, free_min, measure)
    }

    /// The same by another measure of the disk, for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn measured(folder: PathBuf, free_min: u64, measure: Measure) -> Self {
        Self((free_min > 0).then(|| Watched { folder, free_min, measure, last: Mutex::default() }))
    }

    /// Whether there is room for writes. Looks at the disk twice a second at most.
    ///
    /// # Errors
    /// [`DiskLow`].
    pub fn check(&self) -> Result<(), DiskLow> {
        match &self.0 {
            Some(watched) => watched.check(Instant::now(), DISK_LOOK_PAUSE),
            None => Ok(()),
        }
    }

    /// Free and all bytes of the disk, where one is watched and can be measured.
    #[must_use]
    pub fn room(&self) -> Option<(u64, u64)> {
        let watched = self.0.as_ref()?;
        (watched.measure)(&watched.folder).ok()
    }
}

impl Watched {
    fn check(&self, now: Instant, pause: Duration) -> Result<(), DiskLow> {
        let mut last = self.last.lock();
        if let Some((at, found)) = *last
            && now.saturating_duration_since(at) < pause
        {
            return found;
        }
        let found = match (self.measure)(&self.folder) {
            Ok((free, total)) => {
                let needed = self.free_min.min(total / SHARE);
                if free < needed { Err(DiskLow { free, needed }) } else { Ok(()) }
            }
            Err(error) => {
                tracing::warn!(%error, "the free space of the disk of the data cannot be read");
                Ok(())
            }
        };
        let before = last.replace((now, found)).is_none_or(|(_, found)| found.is_ok());
        match found {
            Err(low) if before => tracing::warn!("{low}"),
            Ok(()) if !before => tracing::info!("the disk of the data has room again: writes go on"),
            _ => {}
        }
        found
    }
}

#[cfg(target_os = "linux")]
fn measure(folder: &std::path::Path) -> std::io::Result<(u64, u64)> {
    let found = rustix::fs::statvfs(folder)?;
    Ok((found.f_bavail.saturating_mul(found.f_frsize), found.f_blocks.saturating_mul(found.f_frsize)))
}

#[cfg(not(target_os = "linux"))]
fn measure(_: &std::path::Path) -> std::io::Result<(u64, u64)> {
    Ok((u64::MAX, u64::MAX))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    static FREE: AtomicU64 = AtomicU64::new(0);

    #[test]
    fn writes_stop_below_the_mark_and_go_on_above() {
        let disk = DiskSpace::measured(PathBuf::new(), 100, |_| Ok((FREE.load(Ordering::Relaxed), 10_000)));
        let watched = disk.0.unwrap();
        let look = || watched.check(Instant::now(), Duration::ZERO);
        FREE.store(100, Ordering::Relaxed);
        assert_eq!(look(), Ok(()), "exactly at the mark");
        FREE.store(99, Ordering::Relaxed);
        assert_eq!(look(), Err(DiskLow { free: 99, needed: 100 }));
        FREE.store(100, Ordering::Relaxed);
        assert!(watched.check(Instant::now(), Duration::from_secs(60)).is_err(), "what was found stands for a while");
        assert_eq!(look(), Ok(()));
    }

    #[test]
    fn of_a_small_disk_a_twentieth_is_kept() {
        let disk = DiskSpace::measured(PathBuf::new(), 1 << 30, |_| Ok((50, 1_000)));
        assert_eq!(disk.check(), Ok(()));
        let disk = DiskSpace::measured(PathBuf::new(), 1 << 30, |_| Ok((49, 1_000)));
        assert_eq!(disk.check(), Err(DiskLow { free: 49, needed: 50 }));
        assert_eq!(DiskSpace::measured(PathBuf::new(), 0, |_| Ok((0, 1_000))).check(), Ok(()));
    }

    #[test]
    fn a_real_disk_can_be_measured() {
        let (free, total) = measure(&std::env::temp_dir()).unwrap();
        assert!(free <= total && total > 0);
    }
}
