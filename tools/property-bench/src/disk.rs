//! Data files: how large they are, and out of the system's cache with them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// Bytes of all files below a folder.
pub(crate) fn bytes(folder: &Path) -> u64 {
    files(folder).iter().filter_map(|path| Some(fs::metadata(path).ok()?.len())).sum()
}

/// Asks the system to forget what it has cached of the files below a folder. Works for files that have been written to
/// the disk; a system that cannot leaves them cached. Says whether all were forgotten as far as it tells.
pub(crate) fn forget(folder: &Path) -> bool {
    files(folder).iter().all(|path| forget_file(path))
}

#[cfg(target_os = "linux")]
fn forget_file(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    file.sync_all().is_ok() && rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn forget_file(path: &Path) -> bool {
    drop(File::open(path));
    false
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(_) => found.push(entry.path()),
                Err(_) => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_below_are_counted_and_can_be_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("a")).unwrap();
        fs::write(folder.path().join("a/b"), [0; 100]).unwrap();
        fs::write(folder.path().join("c"), [0; 11]).unwrap();
        assert_eq!(bytes(folder.path()), 111);
        assert_eq!(forget(folder.path()), cfg!(target_os = "linux"));
        assert_eq!(fs::read(folder.path().join("c")).unwrap(), [0; 11]);
        assert_eq!(bytes(&folder.path().join("none")), 0);
    }
}
