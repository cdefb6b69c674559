//! Circles of imports: files that use each other, directly or through others, and so can only be read together. `pub
//! use` alone is not counted, since it only passes a name on.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::Finding;
use super::limits::{CIRCLE_FILES_MAX, CIRCLES_MAX};
use super::modules::{Crate, Reference};
use crate::report::Report;

/// Checks the circles of all crates together.
pub(crate) fn check(crates: &[Crate], findings: &mut Vec<Finding>, report: &mut Report) {
    let references: Vec<Reference> = crates.iter().flat_map(Crate::references).collect();
    let circles: Vec<Vec<String>> = crates.iter().flat_map(|krate| circles(&krate.references())).collect();
    for circle in circles.iter().filter(|circle| circle.len() > CIRCLE_FILES_MAX) {
        for file in circle {
            let used =
                references.iter().filter(|one| one.file == *file && !one.reexport && circle.contains(&one.to_file));
            let used: BTreeSet<&str> = used.map(|one| one.to_file.as_str()).collect();
            let used = used.into_iter().collect::<Vec<_>>().join(", ");
            findings.push(Finding {
                rule: "circle",
                path: file.clone(),
                line: 0,
                subject: String::new(),
                text: format!("in a circle of {} files, above {CIRCLE_FILES_MAX}, by using {used}", circle.len()),
            });
        }
    }
    if circles.len() > CIRCLES_MAX {
        report.notes.extend(circles.iter().map(|circle| format!("a circle of imports: {}", circle.join(" <-> "))));
    }
    for _ in CIRCLES_MAX..circles.len() {
        findings.push(Finding {
            rule: "circles",
            path: "crates".to_owned(),
            line: 0,
            subject: String::new(),
            text: format!("{} circles of imports, above {CIRCLES_MAX}", circles.len()),
        });
    }
}

/// The strongly connected components of more than one file.
fn circles(references: &[Reference]) -> Vec<Vec<String>> {
    let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut used_by: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for reference in references.iter().filter(|reference| !reference.reexport) {
        uses.entry(&reference.file).or_default().insert(&reference.to_file);
        used_by.entry(&reference.to_file).or_default().insert(&reference.file);
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for file in uses.keys() {
        if seen.contains(file) {
            continue;
        }
        let reached = reachable(file, &uses);
        let circle: Vec<&str> = reachable(file, &used_by).intersection(&reached).copied().collect();
        seen.extend(circle.iter().copied());
        if circle.len() > 1 {
            found.push(circle.into_iter().map(str::to_owned).collect());
        }
    }
    found
}

/// The file and all that can be reached from it.
fn reachable<'f>(file: &'f str, arrows: &BTreeMap<&'f str, BTreeSet<&'f str>>) -> BTreeSet<&'f str> {
    let mut reached = BTreeSet::from([file]);
    let mut open = vec![file];
    while let Some(file) = open.pop() {
        for next in arrows.get(file).into_iter().flatten() {
            if reached.insert(next) {
                open.push(next);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::modules::tests::sample;

    fn found(texts: &[(&str, &str)]) -> Vec<Vec<String>> {
        circles(&sample(texts).references())
    }

    #[test]
    fn a_tree_has_no_circle() {
        let texts = [
            ("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::A;\n"),
            ("a.rs", "use crate::b::B;\nuse crate::c::C;\npub struct A;\n"),
            ("b.rs", "use crate::c::C;\npub struct B;\n#[cfg(test)]\nmod tests { use crate::a::A; }\n"),
            ("c.rs", "pub struct C;\n"),
        ];
        assert!(found(&texts).is_empty());
    }

    #[test]
    fn circles_are_found_through_reexports_and_children() {
        let texts = [
            ("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\npub use a::A;\n"),
            ("a.rs", "use crate::b::B;\npub struct A;\n"),
            ("b.rs", "use crate::c::C;\npub struct B;\n"),
            ("c.rs", "use crate::A;\npub struct C;\n"),
            ("d.rs", "mod e;\npub struct D;\nfn d() { e::e() }\n"),
            ("d/e.rs", "use super::D;\npub fn e() {}\n"),
        ];
        let lengths: Vec<usize> = found(&texts).iter().map(Vec::len).collect();
        assert_eq!(lengths, [3, 2]);
    }

    #[test]
    fn large_circles_and_too_many_are_problems() {
        let ring = |files: usize| {
            let mut texts = vec![("lib.rs".to_owned(), String::new())];
            for at in 0..files {
                let text = format!("use crate::m{}::X;\npub struct X;\n", (at + 1) % files);
                texts.push((format!("m{at}.rs"), text));
                texts[0].1.push_str(&format!("mod m{at};\n"));
            }
            let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (&**path, &**text)).collect();
            sample(&texts)
        };
        let findings = |crates: &[Crate]| {
            let mut found = Vec::new();
            check(crates, &mut found, &mut Report::default());
            found.len()
        };
        assert_eq!(findings(&[ring(3)]), 0);
        assert_eq!(findings(&[ring(4)]), 4);
        assert_eq!(findings(&[ring(2), ring(2), ring(2), ring(2)]), 0);
        assert_eq!(findings(&[ring(2), ring(2), ring(2), ring(2), ring(2)]), 1);
    }
}
