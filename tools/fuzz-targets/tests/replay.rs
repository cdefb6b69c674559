//! Every target over its committed inputs, `fuzz/corpus/TARGET/`.

#![expect(clippy::unwrap_used, reason = "a test fails where it panics")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use fuzz_targets::TARGETS;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// Names of the entries of a folder, without their endings.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

#[test]
fn inputs_find_nothing() {
    for (name, target) in TARGETS {
        let inputs: Vec<_> = fs::read_dir(folder().join("corpus").join(name)).unwrap().collect();
        assert!(inputs.len() >= 3, "{name} has {} inputs", inputs.len());
        for input in inputs {
            target(&fs::read(input.unwrap().path()).unwrap());
        }
    }
}

#[test]
fn every_target_has_inputs_and_a_binary() {
    let targets: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names(&folder().join("corpus")), targets);
    assert_eq!(names(&folder().join("fuzz_targets")), targets);
}

#[test]
fn short_inputs_find_nothing() {
    for (_, target) in TARGETS {
        for input in [&b""[..], b"\0", b"\xff\xff", b"{}", b"[]", b"null", b"\"\"", b"~", b"[[[[", b"S1:a>1>>S1:b"] {
            target(input);
        }
    }
}
