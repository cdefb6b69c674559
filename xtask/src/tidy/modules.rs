//! The modules of one crate, and which file of it uses which other. Paths are followed through `use` and `pub use` to
//! the file that defines the item, so a re-export hides nothing.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};

use super::rust_file::{self, Meaning, Module, Segments};
use crate::workspace::SourceFile;

/// How many imports a path is followed through; more are a circle of imports.
const IMPORTS_FOLLOWED_MAX: usize = 16;

/// A crate.
#[derive(Debug)]
pub(crate) struct Crate {
    /// The folder's name, which is the crate's.
    pub(crate) name: String,
    /// The folder, from the root of the repository.
    pub(crate) folder: String,
    /// Lines of `src/**/*.rs`, comments and blank lines included; without `#[cfg(test)]` modules, be they in braces or
    /// in files.
    pub(crate) lines: usize,
    /// Its modules by path; the crate's root has the empty one. Those compiled for tests only are left out.
    modules: BTreeMap<Segments, Placed>,
}

/// A module and the file it is in.
#[derive(Debug)]
struct Placed {
    file: String,
    module: Module,
}

/// One file of a crate that uses another one.
#[derive(Debug)]
pub(crate) struct Reference {
    /// The file that uses.
    pub(crate) file: String,
    /// The line.
    pub(crate) line: usize,
    /// The module that uses.
    pub(crate) from: Segments,
    /// The module that defines what is used.
    pub(crate) to: Segments,
    /// The file of that module.
    pub(crate) to_file: String,
    /// What is used, as `crate::module::Name`.
    pub(crate) item: String,
    /// True where the name is only passed on.
    pub(crate) reexport: bool,
}

/// An inherent `impl` block.
#[derive(Debug)]
pub(crate) struct Implementation {
    /// The file.
    pub(crate) file: String,
    /// The line.
    pub(crate) line: usize,
    /// The module it is in.
    pub(crate) module: Segments,
    /// The module that defines the type.
    pub(crate) home: Segments,
    /// The type.
    pub(crate) of: String,
}

/// Reads every crate of the tree: each folder with a `Cargo.toml` and a `src`.
pub(crate) fn read(files: &[SourceFile]) -> Result<Vec<Crate>> {
    let folders = files.iter().filter_map(|file| file.path.strip_suffix("/Cargo.toml"));
    folders.map(|folder| Crate::read(folder, files)).filter(|read| !matches!(read, Ok(one) if one.lines == 0)).collect()
}

impl Crate {
    /// Reads the crate in `folder`.
    pub(crate) fn read(folder: &str, files: &[SourceFile]) -> Result<Self> {
        let source = format!("{folder}/src/");
        let mut modules = BTreeMap::new();
        let mut test_modules = BTreeSet::new();
        let mut lines = BTreeMap::new();
        let has_library = files.iter().any(|file| file.path == format!("{source}lib.rs"));
        for file in files {
            let Some(inner) = file.path.strip_prefix(&source).and_then(|inner| inner.strip_suffix(".rs")) else {
                continue;
            };
            let text = file.text.as_deref().unwrap_or_default();
            let module = rust_file::parse(text).with_context(|| format!("cannot read {}", file.path))?;
            let path = path_of(inner);
            lines.insert(path.clone(), text.lines().count().saturating_sub(module.test_lines));
            // A binary next to a library is another crate, and a small one.
            if inner.starts_with("bin/") || (has_library && inner == "main") {
                continue;
            }
            test_modules.extend(module.test_files.iter().map(|name| child(&path, name)));
            place(path, &file.path, module, &mut modules);
        }
        let is_product = |path: &Segments| !test_modules.iter().any(|test| path.starts_with(test));
        modules.retain(|path, _| is_product(path));
        let lines = lines.iter().filter(|(path, _)| is_product(path)).map(|(_, lines)| lines).sum();
        let name = folder.rsplit('/').next().unwrap_or(folder).to_owned();
        Ok(Self { name, folder: folder.to_owned(), lines, modules })
    }

    /// The modules directly below the root.
    pub(crate) fn top_level(&self) -> impl Iterator<Item = &str> {
        self.modules.keys().filter(|path| path.len() == 1).filter_map(|path| path.first()).map(String::as_str)
    }

    /// Who uses whom; a file that uses itself is left out.
    pub(crate) fn references(&self) -> Vec<Reference> {
        let mut references = Vec::new();
        for (from, placed) in &self.modules {
            for used in &placed.module.paths {
                let Some((to, name)) = self.resolve(from, &used.segments, 0) else { continue };
                let Some(target) = self.modules.get(&to) else { continue };
                if target.file == placed.file {
                    continue;
                }
                references.push(Reference {
                    file: placed.file.clone(),
                    line: used.line,
                    from: from.clone(),
                    to_file: target.file.clone(),
                    item: item_text(&to, name.as_deref()),
                    to,
                    reexport: used.reexport,
                });
            }
        }
        references
    }

    /// All inherent `impl` blocks of types of this crate.
    pub(crate) fn implementations(&self) -> Vec<Implementation> {
        let mut found = Vec::new();
        for (path, placed) in &self.modules {
            for (line, of) in &placed.module.impls {
                let Some((home, Some(of))) = self.resolve(path, of, 0) else { continue };
                let (file, line) = (placed.file.clone(), *line);
                found.push(Implementation { file, line, module: path.clone(), home, of });
            }
        }
        found
    }

    /// Follows a path from a module to the module that defines it, and the name there; no name if it is a module.
    /// Absent for what another crate defines.
    fn resolve(&self, from: &[String], segments: &[String], followed: usize) -> Option<(Segments, Option<String>)> {
        let (first, rest) = segments.split_first()?;
        match first.as_str() {
            "crate" => self.resolve_below(Vec::new(), rest, followed),
            "self" => self.resolve_below(from.to_vec(), rest, followed),
            "super" => {
                let mut above = from.to_vec();
                above.pop()?;
                let supers = rest.iter().take_while(|segment| *segment == "super").count();
                above.truncate(above.len().checked_sub(supers)?);
                self.resolve_below(above, rest.get(supers..)?, followed)
            }
            _ => {
                let placed = self.modules.get(from)?;
                let known = placed.module.names.contains_key(first) || self.in_globs(from, first, followed).is_some();
                known.then(|| self.resolve_below(from.to_vec(), segments, followed))?
            }
        }
    }

    /// Follows a path that starts in `module`.
    fn resolve_below(&self, module: Segments, rest: &[String], followed: usize) -> Option<(Segments, Option<String>)> {
        if followed > IMPORTS_FOLLOWED_MAX {
            return None;
        }
        let placed = self.modules.get(&module)?;
        let Some((first, after)) = rest.split_first() else { return Some((module, None)) };
        let meanings = placed.module.names.get(first).map(Vec::as_slice).unwrap_or_default();
        let defined = meanings.contains(&Meaning::Defined);
        let below = meanings.contains(&Meaning::Module).then(|| child(&module, first));
        if let Some(below) = below.filter(|below| !after.is_empty() && self.modules.contains_key(below)) {
            return self.resolve_below(below, after, followed);
        }
        if defined {
            return Some((module, Some(first.clone())));
        }
        for meaning in meanings {
            if let Meaning::Imported(path) = meaning
                && (path.len() > 1 || path.first() != Some(first))
            {
                let (to, name) = self.resolve(&module, path, followed + 1)?;
                return match name {
                    Some(name) => Some((to, Some(name))),
                    None => self.resolve_below(to, after, followed + 1),
                };
            }
        }
        if meanings.contains(&Meaning::Module) {
            let below = child(&module, first);
            return self.modules.contains_key(&below).then_some((below, None));
        }
        match self.in_globs(&module, first, followed) {
            Some(to) => self.resolve_below(to, rest, followed + 1),
            // Made by a macro.
            None => Some((module, Some(first.clone()))),
        }
    }

    /// The module that a `use ...::*` of `module` has the name from.
    fn in_globs(&self, module: &[String], name: &str, followed: usize) -> Option<Segments> {
        if followed > IMPORTS_FOLLOWED_MAX {
            return None;
        }
        let globs = &self.modules.get(module)?.module.globs;
        let sources = globs.iter().filter_map(|glob| self.resolve(module, glob, followed + 1));
        sources.map(|(source, _)| source).find(|source| {
            source != module
                && (self.modules.get(source).is_some_and(|placed| placed.module.names.contains_key(name))
                    || self.in_globs(source, name, followed + 1).is_some())
        })
    }
}

/// Enters a module and those in its braces.
fn place(path: Segments, file: &str, mut module: Module, modules: &mut BTreeMap<Segments, Placed>) {
    for (name, inline) in std::mem::take(&mut module.inline) {
        place(child(&path, &name), file, inline, modules);
    }
    modules.insert(path, Placed { file: file.to_owned(), module });
}

/// The module of a file, from its path below `src` without the ending.
fn path_of(inner: &str) -> Segments {
    let mut path: Segments = inner.split('/').map(str::to_owned).collect();
    if path.last().is_some_and(|name| name == "mod") || ["lib", "main"].contains(&inner) {
        path.pop();
    }
    path
}

fn child(path: &[String], name: &str) -> Segments {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

fn item_text(module: &[String], name: Option<&str>) -> String {
    ["crate"].into_iter().chain(module.iter().map(String::as_str)).chain(name).collect::<Vec<_>>().join("::")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A crate `sample` of these files, given by their paths below `src`.
    pub(crate) fn sample(texts: &[(&str, &str)]) -> Crate {
        let files: Vec<SourceFile> = texts
            .iter()
            .map(|(path, text)| SourceFile {
                path: format!("crates/sample/src/{path}"),
                length: 0,
                text: Some((*text).to_owned()),
            })
            .collect();
        Crate::read("crates/sample", &files).unwrap()
    }

    fn items(texts: &[(&str, &str)]) -> Vec<(String, String)> {
        let references = sample(texts).references();
        let short = |file: &str| file.strip_prefix("crates/sample/src/").unwrap_or(file).to_owned();
        references.iter().map(|reference| (short(&reference.file), reference.item.clone())).collect()
    }

    #[test]
    fn paths_are_followed_through_reexports_and_globs() {
        let found = items(&[
            ("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::deep::Thing;\n"),
            ("a/mod.rs", "pub mod deep;\npub use deep::*;\n"),
            ("a/deep.rs", "pub struct Thing;\npub fn work() {}\n"),
            ("b.rs", "use crate::Thing;\nuse std::fmt::Debug;\n"),
            ("c.rs", "use crate::a;\nfn c() { a::work(); super::b::missing() }\n"),
        ]);
        let expected = [
            ("lib.rs", "crate::a::deep::Thing"),
            ("a/mod.rs", "crate::a::deep"),
            ("b.rs", "crate::a::deep::Thing"),
            ("c.rs", "crate::a"),
            ("c.rs", "crate::a::deep::work"),
            ("c.rs", "crate::b::missing"),
        ];
        assert_eq!(found, expected.map(|(file, item)| (file.to_owned(), item.to_owned())));
    }

    #[test]
    fn children_reach_what_their_parent_imports() {
        let found = items(&[
            ("lib.rs", "mod a;\nmod b;\n"),
            ("a.rs", "mod child;\nuse crate::b::B;\n"),
            ("a/child.rs", "use super::B;\n"),
            ("b.rs", "pub enum B { One }\n"),
        ]);
        assert_eq!(found.last().map(|(file, item)| (&**file, &**item)), Some(("a/child.rs", "crate::b::B")));
    }

    #[test]
    fn test_modules_count_nowhere() {
        let sample = sample(&[
            ("lib.rs", "mod a;\n#[cfg(test)]\nmod fixture;\n"),
            ("a.rs", "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    use crate::fixture::X;\n}\n"),
            ("fixture.rs", "use crate::a::a;\n"),
        ]);
        assert_eq!(sample.lines, 3 + 2);
        assert!(sample.references().is_empty());
    }

    #[test]
    fn types_are_told_apart_by_their_modules() {
        let sample = sample(&[
            ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
            ("a.rs", "pub struct Row;\nimpl Row {}\n"),
            ("b.rs", "struct Row;\nimpl Row {}\n"),
            ("c.rs", "use crate::a::Row;\nimpl Row {}\nimpl<T> Vec<T> {}\n"),
        ]);
        let found: Vec<(&str, String)> =
            sample.implementations().iter().map(|one| ("", format!("{} {}", one.module[0], one.home[0]))).collect();
        assert_eq!(found.iter().map(|(_, text)| &**text).collect::<Vec<_>>(), ["a a", "b b", "c a"]);
    }

    #[test]
    fn circles_of_imports_end() {
        let found = items(&[
            ("lib.rs", "mod a;\nmod b;\n"),
            ("a.rs", "pub use crate::b::X;"),
            ("b.rs", "pub use crate::a::X;"),
        ]);
        assert!(found.is_empty());
    }
}
