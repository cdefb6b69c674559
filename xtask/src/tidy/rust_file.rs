//! One Rust file as syn reads it: the names it defines or imports, the paths it uses, its inherent `impl` blocks. Code
//! under `#[cfg(test)]` is left out of all of them.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemImpl, ItemMod, ItemUse, Macro, Meta, Type, UseTree, Visibility};

/// A path as it is written, without generic arguments: `["crate", "core", "graph"]`.
pub(crate) type Segments = Vec<String>;

/// A module: a file, or the braces of `mod name { ... }` in one.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// What each name may mean here; a module and an import can have the same name.
    pub(crate) names: BTreeMap<String, Vec<Meaning>>,
    /// What `use ...::*` imports everything of.
    pub(crate) globs: Vec<Segments>,
    /// All paths of more than one segment, those of `use` included.
    pub(crate) paths: Vec<UsedPath>,
    /// The types of the inherent `impl` blocks, with the line of each.
    pub(crate) impls: Vec<(usize, Segments)>,
    /// Modules in braces.
    pub(crate) inline: Vec<(String, Module)>,
    /// Modules that are compiled for tests only and stand in files of their own.
    pub(crate) test_files: Vec<String>,
    /// Lines of modules in braces that are compiled for tests only, with their attributes.
    pub(crate) test_lines: usize,
}

/// What a name of a module means.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// A type, function, constant, macro: anything but a module.
    Defined,
    /// A module below this one.
    Module,
    /// Another name for what this path leads to.
    Imported(Segments),
}

/// A path and where it stands.
#[derive(Debug)]
pub(crate) struct UsedPath {
    /// The line, from 1.
    pub(crate) line: usize,
    /// The path.
    pub(crate) segments: Segments,
    /// True for `pub use`, which passes a name on and need not use it.
    pub(crate) reexport: bool,
}

/// Reads a file.
pub(crate) fn parse(text: &str) -> Result<Module> {
    let file = syn::parse_file(text).map_err(|error| anyhow!("line {}: {error}", error.span().start().line))?;
    Ok(module_of(&file.items))
}

fn module_of(items: &[Item]) -> Module {
    let mut module = Module::default();
    for item in items {
        declare(item, &mut module);
    }
    let mut reader = Reader { module: &mut module, depth: 0 };
    for item in items {
        reader.visit_item(item);
    }
    module
}

/// Enters the names of an item.
fn declare(item: &Item, module: &mut Module) {
    if is_test(attributes(item)) {
        if let Item::Mod(declared) = item {
            match &declared.content {
                None => module.test_files.push(declared.ident.to_string()),
                Some((brace, _)) => {
                    let attribute = declared.attrs.first().map(|attribute| attribute.pound_token.span);
                    let first = attribute.unwrap_or(declared.mod_token.span).start().line;
                    module.test_lines += brace.span.close().end().line - first + 1;
                }
            }
        }
        return;
    }
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Macro(item) => match &item.ident {
            Some(ident) => ident,
            None => return,
        },
        Item::Mod(item) => {
            module.names.entry(item.ident.to_string()).or_default().push(Meaning::Module);
            if let Some((_, items)) = &item.content {
                let inline = module_of(items);
                module.test_lines += inline.test_lines;
                module.inline.push((item.ident.to_string(), inline));
            }
            return;
        }
        Item::Use(item) => {
            for (name, segments) in leaves(&item.tree) {
                match name {
                    Some(name) => module.names.entry(name).or_default().push(Meaning::Imported(segments)),
                    None => module.globs.push(segments),
                }
            }
            return;
        }
        _ => return,
    };
    module.names.entry(ident.to_string()).or_default().push(Meaning::Defined);
}

/// What a `use` imports: the name it gets here, absent for `*`, and the path.
fn leaves(tree: &UseTree) -> Vec<(Option<String>, Segments)> {
    fn walk(tree: &UseTree, before: &[String], leaves: &mut Vec<(Option<String>, Segments)>) {
        let with = |ident: &syn::Ident| {
            let mut segments = before.to_vec();
            // `use a::{self}` means `a`.
            if before.is_empty() || ident != "self" {
                segments.push(ident.to_string());
            }
            segments
        };
        match tree {
            UseTree::Path(path) => walk(&path.tree, &with(&path.ident), leaves),
            UseTree::Name(name) => {
                let segments = with(&name.ident);
                leaves.push((segments.last().cloned(), segments));
            }
            UseTree::Rename(rename) => leaves.push((Some(rename.rename.to_string()), with(&rename.ident))),
            UseTree::Glob(_) => leaves.push((None, before.to_vec())),
            UseTree::Group(group) => {
                for tree in &group.items {
                    walk(tree, before, leaves);
                }
            }
        }
    }
    let mut found = Vec::new();
    walk(tree, &[], &mut found);
    found
}

/// Collects paths and `impl` blocks.
struct Reader<'m> {
    module: &'m mut Module,
    /// How many items this one is in.
    depth: usize,
}

impl Reader<'_> {
    /// Notes the paths among the tokens of a macro call.
    fn tokens(&mut self, tokens: &TokenStream) {
        let mut segments = Vec::new();
        let mut line = 0;
        let mut colons = 0;
        for token in tokens.clone() {
            match &token {
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.path(line, std::mem::take(&mut segments));
                    }
                    if segments.is_empty() {
                        line = ident.span().start().line;
                    }
                    segments.push(ident.to_string());
                    colons = 0;
                }
                _ => {
                    self.path(line, std::mem::take(&mut segments));
                    colons = 0;
                }
            }
            if let TokenTree::Group(group) = token {
                self.tokens(&group.stream());
            }
        }
        self.path(line, segments);
    }

    fn path(&mut self, line: usize, segments: Segments) {
        if segments.len() > 1 {
            self.module.paths.push(UsedPath { line, segments, reexport: false });
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        // Modules in braces have been read by themselves.
        if is_test(attributes(item)) || matches!(item, Item::Mod(_)) {
            return;
        }
        self.depth += 1;
        visit::visit_item(self, item);
        self.depth -= 1;
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_mod(&mut self, _: &'ast ItemMod) {}

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let reexport = !matches!(item.vis, Visibility::Inherited);
        let line = item.use_token.span.start().line;
        for (_, segments) in leaves(&item.tree) {
            self.module.paths.push(UsedPath { line, segments, reexport });
        }
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        if self.depth == 1
            && item.trait_.is_none()
            && let Type::Path(of) = &*item.self_ty
        {
            self.module.impls.push((item.impl_token.span.start().line, names_of(&of.path)));
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let line = path.segments.first().map_or(0, |first| first.ident.span().start().line);
        if path.leading_colon.is_none() {
            self.path(line, names_of(path));
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast Macro) {
        self.tokens(&call.tokens);
        visit::visit_macro(self, call);
    }
}

fn names_of(path: &syn::Path) -> Segments {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

/// True for `#[cfg(test)]` and `#[cfg(all(test, ...))]`.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition: String = list.tokens.to_string().split_whitespace().collect();
            condition == "test" || condition.starts_with("all(test,")
        }
        _ => false,
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str) -> Vec<(usize, String)> {
        parse(text).unwrap().paths.iter().map(|path| (path.line, path.segments.join("::"))).collect()
    }

    #[test]
    fn trees_of_use_are_flattened() {
        let text = "use crate::a::{self, b::C, d as e};\npub use super::*;\n";
        let expected = [(1, "crate::a"), (1, "crate::a::b::C"), (1, "crate::a::d"), (2, "super")];
        assert_eq!(paths(text), expected.map(|(line, path)| (line, path.to_owned())));
        let module = parse(text).unwrap();
        assert_eq!(module.names["e"], [Meaning::Imported(["crate", "a", "d"].map(str::to_owned).to_vec())]);
        assert_eq!(module.globs, [["super"]]);
        assert!(module.paths[3].reexport && !module.paths[0].reexport);
    }

    #[test]
    fn paths_in_code_types_and_macros_are_found() {
        let text =
            "fn a(b: crate::c::D<super::E>) {\n    f(x::g());\n    println!(\"{}\", [crate::h::I, j::<u8>()]);\n}\n";
        let found: Vec<String> = paths(text).into_iter().map(|(_, path)| path).collect();
        assert_eq!(found, ["crate::c::D", "super::E", "x::g", "crate::h::I"]);
    }

    #[test]
    fn tests_are_left_out() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    use crate::b;\n}\n#[cfg(test)]\nmod more;\n\
            impl A {\n#[cfg(test)]\nfn c() { crate::d::e() }\n}\n#[cfg(all(test, unix))]\nuse crate::f::G;\n";
        let module = parse(text).unwrap();
        assert!(module.paths.is_empty(), "{:?}", module.paths);
        assert_eq!((module.test_lines, module.test_files), (4, vec!["more".to_owned()]));
        assert_eq!(paths("#[cfg(not(test))]\nuse crate::f::G;\n").len(), 1);
    }

    #[test]
    fn inherent_impls_are_told_from_those_of_traits() {
        let module = parse("impl<T> a::B<T> {}\nimpl Clone for C {}\nimpl dyn D {}\n").unwrap();
        assert_eq!(module.impls, [(1, vec!["a".to_owned(), "B".to_owned()])]);
    }

    #[test]
    fn what_is_no_rust_is_refused() {
        assert!(parse("fn a( {").is_err());
    }
}
