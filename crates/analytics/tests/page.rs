//! `docs/algorithms.md` has a line for each algorithm, made of what the program knows of it. With
//! `RHIZOME_WRITE_DOCS` the lines are written.

use std::fmt::Write as _;

use analytics::View;
use analytics::algorithms::all;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/algorithms.md");
const BEGIN: &str = "<!-- Written by the tests of `analytics`, from the table of algorithms. Do not edit. -->\n";
const END: &str = "<!-- End of the table. -->\n";

#[test]
fn the_page_has_every_algorithm() {
    let mut table = String::from("\n| name | edges | parameters | columns | |\n|---|---|---|---|---|\n");
    for algorithm in all() {
        let edges = match algorithm.view {
            View::Multi => "all",
            View::Simple => "simple",
            View::Plain => "plain",
        };
        let parameter = |own: &analytics::algorithms::Parameter| format!("`{}` ({})", own.name, own.default);
        let parameters: Vec<String> = algorithm.parameters.iter().map(parameter).collect();
        let columns: Vec<String> = algorithm.columns.iter().map(|name| format!("`{name}`")).collect();
        let (parameters, columns) = (parameters.join(", "), columns.join(", "));
        writeln!(table, "| `{}` | {edges} | {parameters} | {columns} | {} |", algorithm.name, algorithm.summary)
            .unwrap();
    }
    table.push('\n');
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has a place for the table");
    let (found, after) = rest.split_once(END).expect("the table has an end");
    if std::env::var_os("RHIZOME_WRITE_DOCS").is_some() {
        std::fs::write(PAGE, [before, BEGIN, &table, END, after].concat()).unwrap();
        return;
    }
    assert!(found == table, "docs/algorithms.md is not as the program; run this test with RHIZOME_WRITE_DOCS=1");
}
