//! What of a migration is finished, on disk: a line of JSON for each step, from which it goes on after an interruption.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use api_client::{ElementKind, Shard};
use serde::{Deserialize, Serialize};

use crate::elements::Digests;
use crate::error::MigrateError;

/// 2: sums are of other hashes.
const VERSION: u32 = 2;
const FILE_NAME: &str = "journal";

/// What is migrated, from where, to where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    version: u32,
    url: String,
    graphspace: String,
    graph: String,
    target: String,
}

impl Identity {
    pub(crate) fn new(url: &str, graphspace: &str, graph: &str, target: &str) -> Self {
        let owned = str::to_owned;
        Self {
            version: VERSION,
            url: owned(url),
            graphspace: owned(graphspace),
            graph: owned(graph),
            target: owned(target),
        }
    }
}

/// Vertices or edges, as the journal has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Kind {
    Vertices,
    Edges,
}

impl From<ElementKind> for Kind {
    fn from(kind: ElementKind) -> Self {
        match kind {
            ElementKind::Vertex => Self::Vertices,
            ElementKind::Edge => Self::Edges,
        }
    }
}

/// The parts of all elements of a kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) shards: Vec<Shard>,
    /// Read as pages of one list: the store of the source cannot be scanned.
    pub(crate) listed: bool,
}

/// How far a shard has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShardState {
    /// Length of its file.
    pub(crate) bytes: u64,
    /// The token of the next page.
    pub(crate) next: Option<String>,
    pub(crate) done: bool,
    pub(crate) digests: Digests,
    pub(crate) without_label: u64,
}

/// A finished step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Step {
    /// The parts of a kind are decided.
    Planned(Kind, Plan),
    /// A page of a shard is in its file: the shard as it is now.
    Page(Kind, usize, ShardState),
    /// The target has a file as a whole.
    Sent(Kind, usize),
    /// The target has all elements.
    Loaded,
}

/// The sum of all steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) plans: BTreeMap<Kind, Plan>,
    pub(crate) shards: HashMap<(Kind, usize), ShardState>,
    pub(crate) sent: HashSet<(Kind, usize)>,
    pub(crate) loaded: bool,
}

impl State {
    fn add(&mut self, step: Step) {
        match step {
            Step::Planned(kind, plan) => drop(self.plans.insert(kind, plan)),
            Step::Page(kind, at, shard) => drop(self.shards.insert((kind, at), shard)),
            Step::Sent(kind, at) => {
                self.sent.insert((kind, at));
            }
            Step::Loaded => self.loaded = true,
        }
    }
}

/// The file with the steps.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    pub(crate) state: State,
}

impl Journal {
    /// Goes on with the migration in a folder, or begins one. The flag says whether it goes on.
    pub(crate) fn open(dir: &Path, identity: &Identity, restart: bool) -> Result<(Self, bool), MigrateError> {
        let path = dir.join(FILE_NAME);
        if restart && path.exists() {
            std::fs::remove_dir_all(dir).map_err(|error| MigrateError::file("remove", dir, error))?;
        }
        std::fs::create_dir_all(dir).map_err(|error| MigrateError::file("make the folder", dir, error))?;
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = opened.map_err(|error| MigrateError::file("open", &path, error))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| MigrateError::file("read", &path, error))?;
        // A line that was cut short is no step.
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        let mut journal = Self { path, file, state: State::default() };
        journal.cut(whole as u64)?;
        let mut lines = text.get(..whole).unwrap_or_default().lines();
        let Some(first) = lines.next() else {
            journal.line(identity)?;
            return Ok((journal, false));
        };
        let damaged = |reason: String| MigrateError::Unfinished { dir: dir.to_owned(), reason };
        let old: Identity = serde_json::from_str(first).map_err(|error| damaged(error.to_string()))?;
        if old != *identity {
            return Err(damaged(format!("it is from {} of {} to {}", old.graph, old.url, old.target)));
        }
        for line in lines {
            let step = serde_json::from_str(line);
            journal.state.add(step.map_err(|error| damaged(error.to_string()))?);
        }
        Ok((journal, true))
    }

    fn cut(&mut self, bytes: u64) -> Result<(), MigrateError> {
        let cut = self.file.set_len(bytes).and_then(|()| self.file.seek(SeekFrom::Start(bytes)));
        cut.map(drop).map_err(|error| MigrateError::file("write", &self.path, error))
    }

    /// Appends a step, which is on disk when this returns.
    pub(crate) fn add(&mut self, step: Step) -> Result<(), MigrateError> {
        self.line(&step)?;
        self.state.add(step);
        Ok(())
    }

    fn line(&mut self, content: &impl Serialize) -> Result<(), MigrateError> {
        let failed = |error| MigrateError::file("write", &self.path, error);
        let mut line = serde_json::to_vec(content).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(failed)?;
        self.file.sync_data().map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_back_and_another_migration_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let identity = Identity::new("http://a", "DEFAULT", "g", "store");
        let (mut journal, resumed) = Journal::open(dir.path(), &identity, false).unwrap();
        assert!(!resumed);
        let plan = Plan { shards: vec![Shard { start: "a".into(), end: "b".into(), length: 1 }], listed: false };
        journal.add(Step::Planned(Kind::Vertices, plan.clone())).unwrap();
        let mut shard = ShardState { bytes: 5, next: Some("t".into()), ..ShardState::default() };
        shard.digests.entry("person".into()).or_default().add(b"x");
        journal.add(Step::Page(Kind::Vertices, 0, shard.clone())).unwrap();
        journal.add(Step::Page(Kind::Edges, 3, ShardState::default())).unwrap();
        let path = dir.path().join(FILE_NAME);
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 3]).unwrap();
        let (journal, resumed) = Journal::open(dir.path(), &identity, false).unwrap();
        assert!(resumed);
        assert_eq!(journal.state.plans[&Kind::Vertices], plan);
        assert_eq!(journal.state.shards[&(Kind::Vertices, 0)], shard);
        assert!(!journal.state.shards.contains_key(&(Kind::Edges, 3)), "its line was cut short");
        let other = Identity::new("http://b", "DEFAULT", "g", "store");
        let error = Journal::open(dir.path(), &other, false).unwrap_err().to_string();
        assert!(error.contains("it is from g of http://a to store") && error.contains("--restart"), "{error}");
        let (journal, resumed) = Journal::open(dir.path(), &other, true).unwrap();
        assert!(!resumed && journal.state.plans.is_empty());
    }
}
