//! Rows that were left out, one pair of files per struct: `{struct}.csv` with file, line, reason and row for people,
//! and `{struct}.rows` with the bare rows (below the header, if they need one) to repair and load again.
//!
//! Files of an earlier load are removed at the start, so that what lies there is always of the last load.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::LoadError;
use crate::mapping::{Format, Mapping};

/// One row left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejection {
    pub(crate) file: Arc<Path>,
    pub(crate) line: u64,
    pub(crate) reason: String,
    pub(crate) raw: Arc<str>,
}

/// Writes rejections; files come into being with their first row.
pub(crate) struct Rejects {
    dir: PathBuf,
    names: Vec<String>,
    headers: Vec<Option<String>>,
    open: BTreeMap<usize, Pair>,
}

struct Pair {
    reasons: csv::Writer<File>,
    rows: BufWriter<File>,
    /// Rows already in `rows`: two mappings can reject the same row.
    seen: HashSet<(Arc<Path>, u64)>,
}

impl Rejects {
    /// Prepares for the structs of a mapping: removes the files of an earlier load. Refuses a folder that holds a
    /// source.
    pub(crate) fn new<'a>(
        dir: &Path,
        mapping: &Mapping,
        sources: impl Iterator<Item = &'a Path>,
    ) -> Result<Self, LoadError> {
        let names: Vec<String> = (0..).zip(&mapping.structs).map(|(index, one)| file_name(index, &one.id)).collect();
        let canonical = dir.canonicalize().ok();
        for source in sources {
            let parent = source.parent().and_then(|parent| parent.canonicalize().ok());
            if canonical.is_some() && parent == canonical {
                return Err(LoadError::Option {
                    option: "rejects_dir",
                    reason: format!(
                        "the source {} is in the folder for rejected rows, which a load empties; move it, or choose \
                         another folder",
                        source.display()
                    ),
                });
            }
        }
        for name in names.iter().flat_map(|name| [format!("{name}.csv"), format!("{name}.rows")]) {
            let path = dir.join(name);
            if path.exists() {
                std::fs::remove_file(&path).map_err(|error| LoadError::file("remove", &path, error))?;
            }
        }
        let headers = vec![None; names.len()];
        Ok(Self { dir: dir.to_owned(), names, headers, open: BTreeMap::new() })
    }

    /// Says which line must stand first in the rows of a struct: the header, when it came from the file.
    pub(crate) fn set_header(
        &mut self,
        struct_index: usize,
        format: Format,
        given: bool,
        names: &[String],
        delimiter: &str,
    ) {
        if format == Format::Json || given {
            return;
        }
        let quoted = names.iter().map(|name| {
            let plain = format == Format::Text || !name.contains(['"', '\n']) && !name.contains(delimiter);
            if plain { name.clone() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
        });
        if let Some(header) = self.headers.get_mut(struct_index) {
            *header = Some(quoted.collect::<Vec<_>>().join(delimiter));
        }
    }

    /// Where the files are, if there are any.
    pub(crate) fn written_to(&self) -> Option<PathBuf> {
        if self.open.is_empty() { None } else { Some(self.dir.clone()) }
    }

    /// The folder, whether or not there is anything in it.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Writes one rejection down.
    pub(crate) fn write(&mut self, struct_index: usize, rejection: &Rejection) -> Result<(), LoadError> {
        let dir = self.dir.clone();
        let failed = |error: std::io::Error| LoadError::file("write rejected rows in", &dir, error);
        let pair = match self.open.entry(struct_index) {
            std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::btree_map::Entry::Vacant(entry) => {
                let name = self.names.get(struct_index).map_or("rejects", String::as_str);
                let header = self.headers.get(struct_index).and_then(Option::as_deref);
                entry.insert(create(&self.dir, name, header).map_err(failed)?)
            }
        };
        let line = rejection.line.to_string();
        let file = rejection.file.to_string_lossy();
        let fields = [file.as_ref(), &line, &rejection.reason, &rejection.raw];
        pair.reasons.write_record(fields).map_err(|error| failed(std::io::Error::other(error)))?;
        if pair.seen.insert((Arc::clone(&rejection.file), rejection.line)) {
            writeln!(pair.rows, "{}", rejection.raw).map_err(failed)?;
        }
        Ok(())
    }

    /// Brings everything to disk.
    pub(crate) fn flush(&mut self) -> Result<(), LoadError> {
        for pair in self.open.values_mut() {
            let flushed = pair.reasons.flush().and_then(|()| pair.rows.flush());
            flushed.map_err(|error| LoadError::file("write rejected rows in", &self.dir, error))?;
        }
        Ok(())
    }
}

fn create(dir: &Path, name: &str, header: Option<&str>) -> std::io::Result<Pair> {
    std::fs::create_dir_all(dir)?;
    let mut reasons = csv::Writer::from_writer(File::create(dir.join(format!("{name}.csv")))?);
    reasons.write_record(["file", "line", "reason", "row"])?;
    let mut rows = BufWriter::new(File::create(dir.join(format!("{name}.rows")))?);
    if let Some(header) = header {
        writeln!(rows, "{header}")?;
    }
    Ok(Pair { reasons, rows, seen: HashSet::new() })
}

/// A struct's id as a file name; its position is added if the id cannot be one as it is.
fn file_name(index: usize, id: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if id.chars().all(safe) && id.len() <= 100 {
        return id.to_owned();
    }
    let cleaned: String = id.chars().take(100).map(|c| if safe(c) { c } else { '_' }).collect();
    format!("{cleaned}.{index}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(ids: &[&str]) -> Mapping {
        let structs: Vec<_> = ids.iter().map(|id| serde_json::json!({"id": id, "input": {"path": "p"}})).collect();
        serde_json::from_value(serde_json::json!({"version": "2.0", "structs": structs})).unwrap()
    }

    #[test]
    fn reasons_and_rows_are_kept_apart_and_rows_once() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("one.csv"), "old").unwrap();
        std::fs::write(dir.path().join("mine.txt"), "keep").unwrap();
        let mut rejects = Rejects::new(dir.path(), &mapping(&["one", "two"]), std::iter::empty()).unwrap();
        assert!(!dir.path().join("one.csv").exists());
        rejects.set_header(0, Format::Csv, false, &["a".into(), "b,c".into()], ",");
        let rejection =
            Rejection { file: Path::new("x.csv").into(), line: 7, reason: "too, bad".into(), raw: "1,\"2\"".into() };
        rejects.write(0, &rejection).unwrap();
        rejects.write(0, &Rejection { reason: "again".into(), ..rejection }).unwrap();
        rejects.flush().unwrap();
        let reasons = std::fs::read_to_string(dir.path().join("one.csv")).unwrap();
        assert_eq!(
            reasons,
            "file,line,reason,row\nx.csv,7,\"too, bad\",\"1,\"\"2\"\"\"\nx.csv,7,again,\"1,\"\"2\"\"\"\n"
        );
        assert_eq!(std::fs::read_to_string(dir.path().join("one.rows")).unwrap(), "a,\"b,c\"\n1,\"2\"\n");
        assert!(!dir.path().join("two.csv").exists());
        assert!(dir.path().join("mine.txt").exists());
    }

    #[test]
    fn a_source_in_the_rejects_folder_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("one.rows");
        std::fs::write(&source, "1").unwrap();
        let error = Rejects::new(dir.path(), &mapping(&["one"]), std::iter::once(source.as_path())).err().unwrap();
        assert!(error.to_string().contains("move it"), "{error}");
        assert!(source.exists());
    }

    #[test]
    fn odd_ids_become_distinct_file_names() {
        assert_eq!(file_name(0, "person-1"), "person-1");
        assert_eq!(file_name(0, "../a b"), "___a_b.0");
        assert_ne!(file_name(1, "a b"), file_name(2, "a/b"));
    }
}
