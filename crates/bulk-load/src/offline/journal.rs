//! The journal of an offline load on disk: a line of JSON for each finished step, from which an interrupted load
//! resumes.
//!
//! A step is appended once its results are on disk. Files that no line names are deleted at the next start.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sorted_runs::RunMeta;

use crate::error::LoadError;
use crate::progress::Phase;
use crate::rejects::Rejection;

/// Version of the lines; a journal of another one is not read.
const VERSION: u32 = 1;
const FILE_NAME: &str = "journal";

/// What is loaded, from where: a load can be resumed only if all of it is the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    pub(crate) version: u32,
    pub(crate) graph: String,
    /// Text of the mapping file.
    pub(crate) mapping: String,
    pub(crate) sources: Vec<SourceIdentity>,
    pub(crate) check_vertex: bool,
    /// Elements per batch, if the write path is used.
    pub(crate) batch: Option<usize>,
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SourceIdentity {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) modified_ms: u128,
}

impl Identity {
    pub(crate) fn new(graph: &str, mapping: String, check_vertex: bool, batch: Option<usize>) -> Self {
        Self { version: VERSION, graph: graph.to_owned(), mapping, sources: Vec::new(), check_vertex, batch }
    }

    /// Describes what differs.
    fn difference(&self, old: &Self) -> Option<String> {
        let differs = [
            (self.version != old.version, "the version of the program"),
            (self.graph != old.graph, "the graph"),
            (self.mapping != old.mapping, "the mapping file"),
            (self.check_vertex != old.check_vertex, "the option --check-vertex"),
            (self.batch != old.batch, "the option --batch-size"),
            (self.sources.len() != old.sources.len(), "the list of source files"),
        ];
        if let Some((_, what)) = differs.into_iter().find(|(differs, _)| *differs) {
            return Some(what.to_owned());
        }
        let changed = self.sources.iter().zip(&old.sources).find(|(new, old)| new != old);
        changed.map(|(new, _)| format!("the source file {}", new.path.display()))
    }
}

/// A part of a source file that has been read: bytes from `start` to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cover {
    /// Position of the file in the list of the phase.
    pub(crate) file: usize,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// Rows and elements of one label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) read: u64,
    pub(crate) inserted: u64,
    pub(crate) rejected: u64,
    pub(crate) skipped: u64,
}

/// A rejected row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RejectedRow {
    pub(crate) struct_index: usize,
    pub(crate) file: PathBuf,
    pub(crate) line: u64,
    pub(crate) reason: String,
    pub(crate) raw: String,
}

impl RejectedRow {
    pub(crate) fn rejection(&self) -> Rejection {
        Rejection {
            file: self.file.as_path().into(),
            line: self.line,
            reason: self.reason.clone(),
            raw: self.raw.as_str().into(),
        }
    }
}

/// What a thread has read and stored so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Portion {
    pub(crate) covers: Vec<Cover>,
    pub(crate) runs: Vec<RunMeta>,
    /// By position of the label in the summary.
    pub(crate) labels: Vec<Counts>,
    pub(crate) unreadable: u64,
    pub(crate) rejected: Vec<RejectedRow>,
    /// Time spent on sorting and writing runs (or on committing batches), in milliseconds of one thread.
    pub(crate) storing_ms: u64,
}

impl Portion {
    pub(crate) fn rejected_rows(&self) -> u64 {
        self.labels.iter().map(|label| label.rejected).sum::<u64>() + self.unreadable
    }
}

/// A finished step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Step {
    /// Index labels were disabled and must be rebuilt at the end.
    Suspended(Vec<String>),
    /// A part of the sources was read.
    Read(Phase, Portion),
    /// Everything of a phase was read.
    AllRead(Phase),
    /// All rows of a phase are in the store.
    Stored(Phase),
    /// An index label was built (or could not be).
    Built(String),
}

/// The file with the steps.
pub(crate) struct Journal {
    dir: PathBuf,
    file: File,
}

impl Journal {
    /// Whether there is an interrupted load in this folder.
    pub(crate) fn exists(dir: &Path) -> bool {
        dir.join(FILE_NAME).exists()
    }

    /// Starts the journal of a load.
    pub(crate) fn create(dir: &Path, identity: &Identity) -> Result<Self, LoadError> {
        std::fs::create_dir_all(dir).map_err(|error| LoadError::work_in(dir, "make the folder", error))?;
        let path = dir.join(FILE_NAME);
        let file = File::create(&path).map_err(|error| LoadError::work_in(&path, "create", error))?;
        let mut journal = Self { dir: dir.to_owned(), file };
        journal.line(identity, true)?;
        Ok(journal)
    }

    /// Resumes a load: returns the steps finished so far. An incomplete last line is dropped.
    pub(crate) fn resume(dir: &Path, identity: &Identity) -> Result<(Self, Vec<Step>), LoadError> {
        let path = dir.join(FILE_NAME);
        let failed = |error| LoadError::work_in(&path, "read", error);
        let mut file = OpenOptions::new().read(true).write(true).open(&path).map_err(failed)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(failed)?;
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        let mut lines = text.get(..whole).unwrap_or_default().lines();
        let damaged = |error: serde_json::Error| LoadError::Journal {
            dir: dir.to_owned(),
            reason: format!("its journal cannot be read ({error}); remove the folder and load from the start"),
        };
        let Some(first) = lines.next() else {
            // Nothing had been started before the interruption.
            drop(file);
            return Ok((Self::create(dir, identity)?, Vec::new()));
        };
        let old: Identity = serde_json::from_str(first).map_err(damaged)?;
        if let Some(what) = identity.difference(&old) {
            let reason = format!("{what} has changed since; undo that, or remove the folder and load from the start");
            return Err(LoadError::Journal { dir: dir.to_owned(), reason });
        }
        let steps = lines.map(serde_json::from_str).collect::<Result<Vec<Step>, _>>().map_err(damaged)?;
        file.set_len(whole as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok((Self { dir: dir.to_owned(), file }, steps))
    }

    /// Appends a step. With `durable` it survives a power failure from then on.
    pub(crate) fn add(&mut self, step: &Step, durable: bool) -> Result<(), LoadError> {
        self.line(step, durable)
    }

    fn line(&mut self, content: &impl Serialize, durable: bool) -> Result<(), LoadError> {
        let failed = |error| LoadError::work_in(&self.dir, "write the journal in", error);
        let mut line = serde_json::to_vec(content).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(failed)?;
        if durable {
            self.file.sync_data().map_err(failed)?;
        }
        Ok(())
    }
}

/// What is not covered of `start..end` of a file.
pub(crate) fn uncovered(covers: &[Cover], file: usize, start: u64, end: u64) -> Vec<(u64, u64)> {
    let mut of_file: Vec<_> = covers.iter().filter(|cover| cover.file == file).collect();
    of_file.sort_by_key(|cover| cover.start);
    let mut gaps = Vec::new();
    let mut at = start;
    for cover in of_file {
        if cover.start > at && at < end {
            gaps.push((at, cover.start.min(end)));
        }
        at = at.max(cover.end);
    }
    if at < end {
        gaps.push((at, end));
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> Identity {
        let mut identity = Identity::new("g", "{}".into(), false, None);
        identity.sources.push(SourceIdentity { path: "a.csv".into(), bytes: 5, modified_ms: 1 });
        identity
    }

    #[test]
    fn steps_come_back_and_a_torn_line_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(dir.path(), &identity()).unwrap();
        let portion = Portion { covers: vec![Cover { file: 0, start: 0, end: 9 }], ..Portion::default() };
        journal.add(&Step::Read(Phase::Vertices, portion), true).unwrap();
        journal.add(&Step::AllRead(Phase::Vertices), true).unwrap();
        drop(journal);
        let path = dir.path().join(FILE_NAME);
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 4]).unwrap();
        let (mut journal, steps) = Journal::resume(dir.path(), &identity()).unwrap();
        assert!(matches!(steps.as_slice(), [Step::Read(Phase::Vertices, portion)] if portion.covers[0].end == 9));
        journal.add(&Step::Built("i".into()), false).unwrap();
        drop(journal);
        let (_, steps) = Journal::resume(dir.path(), &identity()).unwrap();
        assert!(matches!(steps.as_slice(), [Step::Read(..), Step::Built(name)] if name == "i"));
    }

    #[test]
    fn another_load_is_not_taken_up() {
        let dir = tempfile::tempdir().unwrap();
        Journal::create(dir.path(), &identity()).unwrap();
        let mut other = identity();
        other.sources[0].bytes = 6;
        let text = Journal::resume(dir.path(), &other).err().unwrap().to_string();
        assert!(text.contains("the source file a.csv has changed"), "{text}");
    }

    #[test]
    fn gaps_are_what_no_cover_holds() {
        let cover = |start, end| Cover { file: 1, start, end };
        let covers = [cover(20, 30), cover(0, 10), Cover { file: 2, start: 10, end: 20 }, cover(25, 40)];
        assert_eq!(uncovered(&covers, 1, 0, 50), [(10, 20), (40, 50)]);
        assert_eq!(uncovered(&covers, 1, 0, 10), []);
        assert_eq!(uncovered(&covers, 1, 5, 15), [(10, 15)]);
        assert_eq!(uncovered(&covers, 3, 0, 5), [(0, 5)]);
    }
}
