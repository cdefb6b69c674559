//! Which files `LOAD CSV` may read.

use std::fs::File;
use std::path::{Component, Path, PathBuf};

use cypher_exec::{Error, ErrorKind};
use cypher_value::Detail;
use percent_encoding::percent_decode_str;

use crate::error::Result;
use crate::limits::ROW_BYTES_MAX;

/// The folders whose files `LOAD CSV` may read, and how long a row may be.
#[derive(Clone, Debug)]
pub struct Imports {
    /// The folders (`cypher.import_folders`); none: no file may be read.
    pub folders: Vec<PathBuf>,
    /// Bytes of a row at most (`cypher.csv_row_bytes_max`).
    pub row_bytes_max: usize,
}

impl Default for Imports {
    fn default() -> Self {
        Self { folders: Vec::new(), row_bytes_max: ROW_BYTES_MAX }
    }
}

/// A failure of a source, as Neo4j words it.
pub(crate) fn refused(source: &str, why: &str) -> Error {
    let message = format!("Cannot load from URL '{source}': {why}");
    Error::new(ErrorKind::ExternalResource, Detail::None, message)
}

impl Imports {
    /// Opens the file that an address means: `file:///people.csv` is `people.csv` of one of the folders, and so is the
    /// whole path of a file in one of them.
    pub(crate) fn open(&self, source: &str) -> Result<File> {
        let path = local_path(source)?;
        if self.folders.is_empty() {
            let why = "reading files is not allowed; name the folders that may be read in cypher.import_folders";
            return Err(refused(source, why));
        }
        let relative: PathBuf = path.components().filter(|part| matches!(part, Component::Normal(_))).collect();
        for folder in &self.folders {
            let Ok(folder) = folder.canonicalize() else { continue };
            let below = path.strip_prefix(&folder).map_or_else(|_| relative.clone(), Path::to_path_buf);
            // The file itself, behind all links.
            let Ok(file) = folder.join(below).canonicalize() else { continue };
            if !file.starts_with(&folder) {
                return Err(refused(source, "it leads out of the folders of cypher.import_folders"));
            }
            if !file.is_file() {
                return Err(refused(source, "it is not a file"));
            }
            return File::open(&file).map_err(|error| refused(source, &error.to_string()));
        }
        Err(refused(source, "there is no such file in the folders of cypher.import_folders"))
    }
}

/// The path of a `file:` address, which leads nowhere up.
fn local_path(source: &str) -> Result<PathBuf> {
    let Some(rest) = source.strip_prefix("file:") else {
        let why = "only files can be read, by addresses such as file:///people.csv";
        return Err(refused(source, why));
    };
    let path = match rest.strip_prefix("//") {
        // What is before the path is the name of a host.
        Some(rest) => match rest.strip_prefix("localhost/").or_else(|| rest.strip_prefix('/')) {
            Some(path) => path,
            None => return Err(refused(source, "it names a host; write three slashes: file:///people.csv")),
        },
        None => rest.strip_prefix('/').unwrap_or(rest),
    };
    let path = percent_decode_str(path).decode_utf8().map_err(|_| refused(source, "it is not UTF-8"))?;
    if path.contains('\0') {
        return Err(refused(source, "it contains a NUL"));
    }
    let path = Path::new("/").join(&*path);
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(refused(source, "its path must not contain '..'"));
    }
    Ok(path)
}
