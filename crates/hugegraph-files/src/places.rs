//! Where HugeGraph keeps the files of its stores, which its settings `rocksdb.data_path` and `rocksdb.wal_path` say.

use std::path::{Path, PathBuf};

use crate::error::FilesError;

/// Names of the three stores.
const STORES: [&str; 3] = ["m", "g", "s"];
/// What the folder with the stores is called below the one given, in the stock settings of several versions.
const BELOW: [&str; 4] = ["", "rocksdb-data/data", "rocksdb-data", "data"];
/// What the folder with the logs may be called, beside that with the stores or below it.
const LOGS: [&str; 3] = ["wal", "rocksdb-data/wal", "log"];

/// One store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its folder.
    pub folder: PathBuf,
    /// The folder with its write-ahead log, if that is another one.
    pub log: Option<PathBuf>,
}

/// The three stores of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Definitions.
    pub schema: Place,
    /// Elements.
    pub graph: Place,
    /// Users.
    pub system: Place,
}

impl Places {
    /// The stores in a folder: that of `rocksdb.data_path`, or HugeGraph's own. `logs_named`: that of
    /// `rocksdb.wal_path`, where it is not beside it.
    ///
    /// # Errors
    /// [`FilesError::NotThere`].
    pub fn find(folder: &Path, logs_named: Option<&Path>) -> Result<Self, FilesError> {
        let not_there = |reason: String| FilesError::NotThere { folder: folder.to_owned(), reason };
        let is_there = |path: &PathBuf| STORES.iter().all(|store| path.join(store).is_dir());
        let stores = BELOW.iter().map(|below| folder.join(below)).find(is_there);
        let stores = stores.ok_or_else(|| {
            not_there(
                "the folders m, g and s are not in it; give the folder of its setting rocksdb.data_path".to_owned(),
            )
        })?;
        let logs = match logs_named {
            Some(logs) if is_there(&logs.to_owned()) => Some(logs.to_owned()),
            Some(logs) => {
                return Err(FilesError::NotThere {
                    folder: logs.to_owned(),
                    reason: "the folders m, g and s with the logs are not in it; give the folder of its setting \
                             rocksdb.wal_path"
                        .to_owned(),
                });
            }
            None => {
                let beside = stores.parent().into_iter().flat_map(|parent| LOGS.map(|name| parent.join(name)));
                beside.chain(LOGS.map(|name| stores.join(name))).find(is_there)
            }
        };
        let is_named = logs_named.is_some();
        let place = |store: &str| -> Result<Place, FilesError> {
            let folder = stores.join(store);
            let log = logs.as_ref().map(|logs| logs.join(store)).filter(|_| is_named || !has_log(&folder));
            if !has_log(log.as_ref().unwrap_or(&folder)) {
                return Err(not_there(format!(
                    "the write-ahead log of the store {store} is neither in it nor in a folder beside it: name the \
                     folder of HugeGraph's setting rocksdb.wal_path with --wal"
                )));
            }
            Ok(Place { folder, log })
        };
        Ok(Self { schema: place("m")?, graph: place("g")?, system: place("s")? })
    }
}

/// Whether a folder holds files of a log. Every store has one at least, which may be empty.
fn has_log(folder: &Path) -> bool {
    let mut entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| entry.path().extension().is_some_and(|extension| extension == "log"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(paths: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for path in paths {
            for store in STORES {
                std::fs::create_dir_all(dir.path().join(path).join(store)).unwrap();
            }
        }
        dir
    }

    #[test]
    fn stores_and_logs_are_found_where_the_settings_put_them() {
        for (made, given, stores, logs) in [
            (["rocksdb-data/data", "rocksdb-data/wal"], "", "rocksdb-data/data", "rocksdb-data/wal"),
            (["rocksdb-data/data", "rocksdb-data/wal"], "rocksdb-data", "rocksdb-data/data", "rocksdb-data/wal"),
            (["rocksdb-data/data", "rocksdb-data/wal"], "rocksdb-data/data", "rocksdb-data/data", "rocksdb-data/wal"),
            (["rocksdb-data", "wal"], "rocksdb-data", "rocksdb-data", "wal"),
            (["data/files", "data/log"], "data/files", "data/files", "data/log"),
        ] {
            let dir = make(&made);
            for store in STORES {
                std::fs::write(dir.path().join(logs).join(store).join("000018.log"), "").unwrap();
            }
            let found = Places::find(&dir.path().join(given), None).unwrap();
            assert_eq!(found.graph.folder, dir.path().join(stores).join("g"), "{made:?}");
            assert_eq!(found.system.log, Some(dir.path().join(logs).join("s")), "{made:?}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let dir = make(&["a"]);
        let stores = dir.path().join("a");
        let error = Places::find(dir.path(), None).unwrap_err().to_string();
        assert!(error.contains("rocksdb.data_path"), "{error}");
        let error = Places::find(&stores, None).unwrap_err().to_string();
        assert!(error.contains("--wal"), "{error}");
        let error = Places::find(&stores, Some(dir.path())).unwrap_err().to_string();
        assert!(error.contains("rocksdb.wal_path"), "{error}");
        for store in STORES {
            std::fs::write(stores.join(store).join("000018.log"), "").unwrap();
        }
        assert_eq!(Places::find(&stores, None).unwrap().schema.log, None, "the log is in the folder of the store");
    }
}
