//! The source tree as text: where it is, and the files in it. It does not ask git, so that it also works in an unpacked
//! archive and in a clone owned by another user; ignored folders are those named in `.gitignore`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// One file of the tree.
#[derive(Debug)]
pub(crate) struct SourceFile {
    /// Path from the root, with `/`.
    pub(crate) path: String,
    /// Length in bytes.
    pub(crate) length: u64,
    /// The text; absent when it is not UTF-8.
    pub(crate) text: Option<String>,
}

/// The root folder of the repository.
pub(crate) fn root() -> Result<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    Ok(here.parent().context("xtask lies in a folder of the repository")?.to_path_buf())
}

/// Reads a text file of the tree.
pub(crate) fn read(root: &Path, path: &str) -> Result<String> {
    fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))
}

/// All files below `root` that are not ignored, in the order of their paths.
pub(crate) fn files(root: &Path) -> Result<Vec<SourceFile>> {
    let ignored = ignored_folders(&read(root, ".gitignore")?);
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type()?;
            let path = entry.path();
            let from_root = path.strip_prefix(root)?;
            if ignored.iter().any(|one| if one.at_root { from_root == Path::new(&one.name) } else { one.name == name })
            {
                continue;
            }
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                files.push(source_file(root, &path)?);
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn source_file(root: &Path, path: &Path) -> Result<SourceFile> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let relative = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
    let length = u64::try_from(bytes.len())?;
    Ok(SourceFile { path: relative, length, text: String::from_utf8(bytes).ok() })
}

/// A name, or a path from the root, that git does not keep.
#[derive(Debug, PartialEq, Eq)]
struct Ignored {
    name: String,
    /// True for a path from the root: the binary `/rhizome` is not the crate of that name.
    at_root: bool,
}

/// Plain names and paths from the root in `.gitignore`, and git's own folder. Patterns with `*` are not followed.
fn ignored_folders(gitignore: &str) -> Vec<Ignored> {
    let lines = gitignore.lines().map(str::trim).chain([".git"]);
    let names = lines.map(|line| (line.starts_with('/'), line.trim_matches('/')));
    let is_plain = |at_root: bool, name: &str| !name.contains('*') && (at_root || !name.contains('/'));
    let plain = names.filter(|(at_root, name)| !name.is_empty() && !name.starts_with('#') && is_plain(*at_root, name));
    plain.map(|(at_root, name)| Ignored { name: name.to_owned(), at_root }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_names_are_plain_lines() {
        let ignored = ignored_folders("# note\n/target\n\n*.profraw\nvar/\na/b\n");
        let found: Vec<(&str, bool)> = ignored.iter().map(|one| (one.name.as_str(), one.at_root)).collect();
        assert_eq!(found, [("target", true), ("var", false), (".git", false)]);
    }

    #[test]
    fn this_file_is_found() {
        let files = files(&root().unwrap()).unwrap();
        let this = files.iter().find(|file| file.path == "xtask/src/workspace.rs").unwrap();
        assert!(this.text.as_ref().unwrap().contains("this_file_is_found"));
        assert!(files.iter().all(|file| !file.path.starts_with("target/")));
        assert!(files.iter().any(|file| file.path == "crates/rhizome/src/lib.rs"));
    }
}
