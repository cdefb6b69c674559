//! Options, progress, summary, and the run itself: [`generate`].

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::clock::Clock;
use crate::dictionary::Dictionary;
use crate::draw::{coprime_from, part_u32};
use crate::error::GenError;
use crate::files::{Content, FILES, StreamedRow, Tables};
use crate::forum::Forums;
use crate::knows::Friends;
use crate::limits::{PERSONS_MAX, PERSONS_MIN, PROGRESS_PERSONS, YEARS_MAX, YEARS_MIN};
use crate::mapping::mapping_json;
use crate::person::Persons;
use crate::schema::{schema_groovy, schema_json};
use crate::world::World;

/// What to generate. The same options give the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnbOptions {
    /// Number of persons, [`PERSONS_MIN`] to [`PERSONS_MAX`]; everything else follows from it.
    pub persons: u64,
    /// Seed of all random draws.
    pub seed: u64,
    /// Simulated years from 2010-01-01, [`YEARS_MIN`] to [`YEARS_MAX`].
    pub years: u32,
    /// How much of each element is written. The network itself, acquaintances and authorship, is the same.
    pub content: Content,
}

impl SnbOptions {
    /// A network of `persons` over three years, with everything.
    pub fn new(persons: u64, seed: u64) -> SnbOptions {
        SnbOptions { persons, seed, years: 3, content: Content::Everything }
    }

    /// Sets the number of simulated years.
    #[must_use]
    pub fn with_years(mut self, years: u32) -> SnbOptions {
        self.years = years;
        self
    }

    /// Sets how much of each element is written.
    #[must_use]
    pub fn with_content(mut self, content: Content) -> SnbOptions {
        self.content = content;
        self
    }

    /// Checks that all options are in range.
    ///
    /// # Errors
    /// [`GenError::Persons`] and [`GenError::Years`].
    pub fn validate(&self) -> Result<(), GenError> {
        if !(PERSONS_MIN..=PERSONS_MAX).contains(&self.persons) {
            return Err(GenError::Persons { persons: self.persons, min: PERSONS_MIN, max: PERSONS_MAX });
        }
        if !(YEARS_MIN..=YEARS_MAX).contains(&self.years) {
            return Err(GenError::Years { years: self.years, min: YEARS_MIN, max: YEARS_MAX });
        }
        Ok(())
    }
}

/// What the generator is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Drawing persons and finding friends.
    Friends,
    /// Writing each person with its friendships, forums and messages.
    Writing,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Friends => "finding friends",
            Stage::Writing => "writing persons, forums and messages",
        })
    }
}

/// How far a run is; given once per few hundred persons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// The current stage.
    pub stage: Stage,
    /// Persons done in this stage.
    pub done: u64,
    /// Persons of this stage (friends are sought in three passes, so there it is three times the number of persons).
    pub total: u64,
    /// Rows written so far in all files.
    pub rows: u64,
}

/// Rows of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRows {
    /// Path below the output folder, with `/`.
    pub path: String,
    /// Rows without the header.
    pub rows: u64,
    /// True for vertices, false for edges.
    pub is_vertex: bool,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// All 31 files, the static ones first, then by name.
    pub files: Vec<FileRows>,
}

impl Summary {
    /// Number of vertices.
    pub fn vertices(&self) -> u64 {
        self.files.iter().filter(|file| file.is_vertex).map(|file| file.rows).sum()
    }

    /// Number of edges.
    pub fn edges(&self) -> u64 {
        self.files.iter().filter(|file| !file.is_vertex).map(|file| file.rows).sum()
    }
}

/// Generates a network into the folder `out`, which is created if missing; older files of the same names are replaced.
///
/// # Errors
/// Options out of range, or the folder cannot be written. After an error the folder holds an incomplete network.
pub fn generate(options: &SnbOptions, out: &Path, progress: &mut dyn FnMut(&Progress)) -> Result<Summary, GenError> {
    options.validate()?;
    let mut tables = Tables::create(out, options.content)?;
    write_descriptions(out, options.content)?;
    make(options, &mut tables, progress)?;
    Ok(summary(tables.finish()?))
}

/// Generates a network and gives each row to `taker` as it is made, instead of writing files: the same rows in the same
/// order as [`generate`] writes to each file, those of different files in turn. `taker` says whether it wants more.
///
/// # Errors
/// Options out of range, or [`GenError::Stopped`].
pub fn stream(
    options: &SnbOptions,
    taker: &mut dyn FnMut(StreamedRow<'_>) -> bool,
    progress: &mut dyn FnMut(&Progress),
) -> Result<Summary, GenError> {
    options.validate()?;
    let mut tables = Tables::streaming(options.content, taker);
    make(options, &mut tables, progress)?;
    Ok(summary(tables.finish()?))
}

fn make(options: &SnbOptions, tables: &mut Tables<'_>, progress: &mut dyn FnMut(&Progress)) -> Result<(), GenError> {
    let clock = Clock::new(options.years);
    let dictionary = Dictionary::new();
    crate::statics::write(&dictionary, tables)?;

    let total = options.persons;
    let persons = Persons::new(options.seed, total, clock, &dictionary);
    let rows = tables.rows();
    let friends = Friends::find(options.seed, &persons, |done| {
        progress(&Progress { stage: Stage::Friends, done, total: 3 * total, rows });
    });
    let world = World { seed: options.seed, clock, dictionary: &dictionary, persons: &persons, friends: &friends };
    let mut forums = Forums::new(world, options.content == Content::Everything);
    for (at, done) in in_turn(persons.len()).zip(1..) {
        persons.write(at, &dictionary, tables)?;
        friends.write(at, &persons, clock, tables)?;
        forums.write_of(at, tables)?;
        if done % PROGRESS_PERSONS == 0 || done == total {
            progress(&Progress { stage: Stage::Writing, done, total, rows: tables.rows() });
        }
    }
    Ok(())
}

/// Every person once, in an order in which any stretch has persons from the whole period: early members have larger
/// forums with more content, and a load should be the same work from beginning to end. A stride near the golden section
/// of the whole spreads best.
fn in_turn(persons: u32) -> impl Iterator<Item = u32> {
    let stride = coprime_from(part_u32(persons, 0.618), persons).min(persons);
    std::iter::successors(Some(0), move |at| Some((at + stride) % persons)).take(persons as usize)
}

fn summary(rows: Vec<u64>) -> Summary {
    let files = FILES.iter().zip(rows);
    let files = files.map(|(file, rows)| FileRows { path: file.path(), rows, is_vertex: file.is_vertex() });
    Summary { files: files.collect() }
}

/// Writes `schema.json`, `schema.groovy` and `mapping.json`.
fn write_descriptions(out: &Path, content: Content) -> Result<(), GenError> {
    let json = |name: &str, value: &Value| -> Result<(PathBuf, String), GenError> {
        let path = out.join(name);
        match serde_json::to_string_pretty(value) {
            Ok(text) => Ok((path, text + "\n")),
            Err(source) => Err(GenError::Encode { path, source }),
        }
    };
    let files = [
        json("schema.json", &schema_json(content))?,
        json("mapping.json", &mapping_json(content))?,
        (out.join("schema.groovy"), schema_groovy(content)),
    ];
    for (path, text) in files {
        fs::write(&path, text).map_err(|source| GenError::Write { path, source })?;
    }
    Ok(())
}
