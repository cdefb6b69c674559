//! The page of functions says what the table of functions says; with `RHIZOME_WRITE_DOCS` set, it is written.
#![expect(clippy::unwrap_used, reason = "test code")]

use std::fmt::Write as _;

use cypher_value::{Function, function};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cypher-functions.md");

fn page() -> String {
    let mut page = String::from(
        "# Functions of Cypher\n\n\
         Written from the table of functions by a test (`crates/cypher-value/tests/page.rs`). Names may be written in\n\
         any case. Where an argument is null the result is null, but for those functions that say what they do with\n\
         null. Types are those of `valueType()`; an argument of another type is a TypeError.\n",
    );
    let mut category = "";
    for function in function::all() {
        if function.category != category {
            category = function.category;
            write!(page, "\n## {category}\n\n| function | result | what it gives |\n|---|---|---|\n").unwrap();
        }
        let result = function.result.to_string().replace('|', "\\|");
        writeln!(page, "| `{}` | {result} | {} |", call(function), function.description).unwrap();
    }
    page
}

/// How a function is called, with what may be missing in brackets.
fn call(function: &Function) -> String {
    let mut text = format!("{}(", function.name);
    for (position, (name, _)) in function.arguments.iter().enumerate() {
        let comma = if position == 0 { "" } else { ", " };
        let is_optional = position >= function.required;
        write!(text, "{}{comma}{name}{}", if is_optional { "[" } else { "" }, if is_optional { "]" } else { "" })
            .unwrap();
    }
    if function.is_variadic {
        text.push_str(", ..");
    }
    text + ")"
}

#[test]
fn the_page_says_what_the_functions_say() {
    let expected = page();
    if std::env::var_os("RHIZOME_WRITE_DOCS").is_some() {
        std::fs::write(PAGE, &expected).unwrap();
    }
    let found = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(found == expected, "{PAGE} is old: run this test with RHIZOME_WRITE_DOCS=1");
}
