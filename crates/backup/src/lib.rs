//! Backups of a store's files in a repository: a folder, or a bucket of an object store.
//!
//! What it is: a [`Repository`] holds backups; [`Repository::create`] adds one of the files of a folder that nobody
//! writes (a checkpoint), [`Repository::restore`] writes one into an empty folder, [`Repository::verify`] reads what is
//! stored, [`Repository::prune`] removes what no rule keeps. What it is not: it knows no engine, no graph, no HTTP and
//! no command line, and it never looks into the files.
//!
//! How a repository looks (`docs/operations/backup.md` says the same to operators):
//!
//! | object | content |
//! |---|---|
//! | `repository.json` | format version, id, how the key is wrapped; a line of JSON and its SHA-256 |
//! | `chunks/AB/ABCD...` | a piece of a file, of [`limits::CHUNK_BYTES`] at most, by the hash of its content |
//! | `backups/ID.SHA256` | the manifest of a backup: its files, and the chunks they consist of |
//! | `log/TIMELINE/...` | what was written after backups: see `log.rs` |
//! | `locks/ID` | somebody works on the repository; refreshed every minute |
//! | `fenced/ID` | whoever had this lock must not commit any more |
//!
//! Invariants:
//! - A backup exists when its manifest does, and that is written after everything it needs, under a name that was not
//!   there. Objects are never changed, but for locks and the word that a log is idle.
//! - The name of each object that holds content follows from the content, so a change of any byte is noticed.
//! - Chunks are removed by whoever holds the only lock, and only if no manifest that can be read needs them; a manifest
//!   that cannot be read stops the removal.
//! - With a key, nothing but sizes and numbers of objects can be seen without it, and no object can be put in the place
//!   of another.
//!
//! Start reading at [`Repository`].

mod bucket;
mod crypt;
mod description;
mod error;
pub mod limits;
mod lock;
mod log;
mod manifest;
mod repository;
mod retention;
mod secret;
mod target;
mod work;

pub use error::BackupError;
pub use log::{End, Fork, NewSegment, Record, Segment, Timeline};
pub use manifest::{FileEntry, LogPosition, Manifest, moment_text};
pub use repository::create::{CreateOptions, Created, Source};
pub use repository::log::{Plan, Step, StoredLog, Until};
pub use repository::prune::Pruned;
pub use repository::restore::{Restored, Unfinished};
pub use repository::verify::{Depth, Problem, Verified};
pub use repository::{Listed, Repository};
pub use retention::Keep;
pub use secret::Secret;
pub use target::Target;
pub use work::{Progress, Watch, unwatched};
