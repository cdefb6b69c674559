//! Walls within crates: the table below orders the top-level modules of a crate, its wings, and each may use only those
//! after it. Crates without a line have no order of modules, but a type's inherent `impl` blocks still stand in one
//! top-level module.

use std::collections::BTreeSet;

use super::findings::Finding;
use super::modules::Crate;

/// A crate and its wings from the top down. Wings of one row are neighbours, which do not know each other. The root
/// (`lib.rs`) is above all of them.
const WINGS: &[(&str, &[&[&str]])] = &[
    ("graph-store", &[&["parts"], &["write"], &["reader"], &["query"], &["read"], &["index"], &["core"], &["limits"]]),
    (
        "graph-maintenance",
        &[
            &["rebuild"],
            &["analytical", "check", "ingested", "removal", "purge", "rows"],
            &["steps"],
            &["progress", "limits"],
        ],
    ),
    (
        "graph-host",
        &[
            &["store"],
            &["background"],
            &["hosted"],
            &["host"],
            &["jobs"],
            &["cluster"],
            &["ranges", "lists", "variables"],
            &["options", "limits"],
        ],
    ),
    (
        "http-server",
        &[
            &["server", "starting"],
            &["connection"],
            &["mount"],
            &["body", "caught", "credentials", "forwarded", "origin", "accept", "query", "reply"],
            &["address", "client"],
            &["limits"],
        ],
    ),
    (
        "serving",
        &[
            &["room"],
            &["workers"],
            &["pool", "admission", "watch"],
            &["queue", "quotas", "disk", "attempts"],
            &["metrics", "process", "busy_poll", "work_bounds"],
            &["limits"],
        ],
    ),
];

/// Checks a crate.
pub(crate) fn check(krate: &Crate, findings: &mut Vec<Finding>) {
    let wings = WINGS.iter().find(|(name, _)| *name == krate.name).map(|(_, wings)| *wings);
    if let Some(wings) = wings {
        check_order(krate, wings, findings);
    }
    check_implementations(krate, findings);
}

fn check_order(krate: &Crate, wings: &[&[&str]], findings: &mut Vec<Finding>) {
    let row = |wing: &str| wings.iter().position(|row| row.contains(&wing));
    for module in krate.top_level().filter(|module| row(module).is_none()) {
        findings.push(Finding {
            rule: "wing",
            path: format!("{}/src", krate.folder),
            line: 0,
            subject: module.to_owned(),
            text: format!("module {module} is no wing; give it a place in xtask/src/tidy/wings.rs"),
        });
    }
    for reference in krate.references() {
        let Some(from) = reference.from.first() else { continue };
        let to = reference.to.first();
        let allowed = to == Some(from) || to.is_some_and(|to| row(from) < row(to));
        if !allowed {
            let to = to.map_or("the root", String::as_str);
            findings.push(Finding {
                rule: "wing",
                path: reference.file,
                line: reference.line,
                text: format!("{from} must not know {to} (xtask/src/tidy/wings.rs)"),
                subject: reference.item,
            });
        }
    }
}

fn check_implementations(krate: &Crate, findings: &mut Vec<Finding>) {
    let mut elsewhere = BTreeSet::new();
    for found in krate.implementations() {
        let (home, here) = (found.home.first(), found.module.first());
        if home == here || !elsewhere.insert((found.home.clone(), found.of.clone(), here.cloned())) {
            continue;
        }
        let name = |module: Option<&String>| module.map_or("lib", String::as_str).to_owned();
        findings.push(Finding {
            rule: "impl",
            path: krate.folder.clone(),
            line: 0,
            text: format!(
                "{}:{}: {} is defined in {}; an inherent impl of it in {} hides what uses what: write functions, or \
                 a type of its own around it",
                found.file,
                found.line,
                found.of,
                name(home),
                name(here)
            ),
            subject: format!("{} in {}", found.of, name(here)),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::modules::tests::sample;

    const ORDER: &[&[&str]] = &[&["host"], &["read", "query"], &["core"]];

    fn order(texts: &[(&str, &str)]) -> Vec<String> {
        let mut findings = Vec::new();
        check_order(&sample(texts), ORDER, &mut findings);
        findings.into_iter().map(|finding| format!("{}: {}", finding.subject, finding.text)).collect()
    }

    #[test]
    fn downward_within_and_from_the_root_is_allowed() {
        let found = order(&[
            ("lib.rs", "mod core;\nmod host;\nmod read;\npub use host::Host;\nfn a() { core::b() }\n"),
            ("host.rs", "use crate::core::Core;\nuse crate::read::{self, one::One};\npub struct Host;\n"),
            ("read/mod.rs", "mod one;\nuse crate::core::Core;\n"),
            ("read/one.rs", "use super::Core;\nuse crate::read;\npub struct One;\n"),
            ("core.rs", "pub struct Core;\npub fn b() {}\n#[cfg(test)]\nmod tests { use crate::host::Host; }\n"),
        ]);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn upward_sideways_and_through_the_root_is_not() {
        let texts = |code: &'static str| {
            [
                ("lib.rs", "mod core;\nmod host;\nmod query;\nmod read;\npub use host::Host;\npub fn all() {}\n"),
                ("host.rs", "pub struct Host;\npub fn h() {}\n"),
                ("query.rs", "pub fn q() {}\n"),
                ("read.rs", code),
                ("core.rs", ""),
            ]
        };
        let failing = [
            "use crate::host::Host;",
            "use crate::Host;",
            "use super::{core, host};",
            "fn a() { crate::host::h() }",
            "fn a() { println!(\"{}\", crate::host::h()) }",
            "fn a() -> Vec<crate::Host> { }",
            "use crate::query::q;",
            "fn a() { crate::all() }",
            "pub use crate::host;",
        ];
        for code in failing {
            assert_eq!(order(&texts(code)).len(), 1, "{code}");
        }
        assert!(order(&texts("use crate::core::X; use host::y;")).is_empty());
    }

    #[test]
    fn a_module_without_a_place_is_told() {
        assert_eq!(order(&[("lib.rs", "mod other;\n"), ("other.rs", "")]).len(), 1);
    }

    #[test]
    fn one_type_has_its_impls_in_one_module() {
        let texts = |other: &'static str| {
            [
                ("lib.rs", "mod core;\nmod read;\n"),
                ("core/mod.rs", "pub mod a;\npub mod b;\n"),
                ("core/a.rs", "pub struct A;\nimpl A {}\n"),
                ("core/b.rs", "use super::a::A;\nimpl A {}\nimpl Clone for A {}\n"),
                ("read.rs", other),
            ]
        };
        let found = |other| {
            let mut findings = Vec::new();
            check_implementations(&sample(&texts(other)), &mut findings);
            findings.into_iter().map(|finding| finding.subject).collect::<Vec<_>>()
        };
        assert_eq!(found("use crate::core::a::A;\nimpl A {}\nimpl A {}\n"), ["A in read"]);
        assert_eq!(found("impl crate::core::a::A {}\n"), ["A in read"]);
        assert!(found("use crate::core::a::A;\nimpl Drop for A {}\nstruct B;\nimpl B {}\n").is_empty());
    }
}
