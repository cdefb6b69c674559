//! TinkerPop's feature files, run in this process against a graph in memory. The folder they were unpacked to is named
//! by `RHIZOME_GREMLIN_FEATURES`; without it nothing is tested here, and the runner against a server is the gate.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test"
)]

mod graphs;
mod run;
mod scenario;
mod text;

use std::collections::BTreeMap;
use std::path::Path;

use graphs::Mode;
use run::Outcome;

/// Scenarios of TinkerPop 3.8.1 that passed when this was last raised. It may only grow.
const PASSED_STRICT_MIN: usize = 1703;
const PASSED_AUTO_MIN: usize = 2036;

#[test]
#[ignore = "needs the unpacked jar gremlin-test: RHIZOME_GREMLIN_FEATURES"]
fn features_on_graphs_with_a_schema() {
    features(Mode::Strict, PASSED_STRICT_MIN);
}

#[test]
#[ignore = "needs the unpacked jar gremlin-test: RHIZOME_GREMLIN_FEATURES"]
fn features_on_auto_graphs() {
    features(Mode::Auto, PASSED_AUTO_MIN);
}

fn features(mode: Mode, passed_min: usize) {
    let folder = std::env::var("RHIZOME_GREMLIN_FEATURES").expect("RHIZOME_GREMLIN_FEATURES");
    let wanted = std::env::var("SCENARIO").unwrap_or_default();
    let root = Path::new(&folder).join("org/apache/tinkerpop/gremlin");
    let scenarios = scenario::read(&root.join("test/features"));
    let graphs = graphs::Graphs::load(&root.join("structure/io/graphson"), mode);
    let mut counts: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    let mut report = String::new();
    for scenario in
        scenarios.iter().filter(|scenario| scenario.place.contains(&wanted) || scenario.name.contains(&wanted))
    {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run::run(&graphs, scenario)))
            .unwrap_or_else(|_| Outcome::Failed("panic".to_owned()));
        let folder = scenario.place.split('/').next().unwrap_or_default().to_owned();
        let at = match &outcome {
            Outcome::Passed => 0,
            Outcome::Failed(_) => 1,
            Outcome::Skipped(_) => 2,
        };
        counts.entry(folder).or_default()[at] += 1;
        if let Outcome::Failed(why) | Outcome::Skipped(why) = &outcome {
            let kind = if at == 1 { "FAILED" } else { "SKIPPED" };
            let text = scenario.traversal.replace('\n', " ");
            report.push_str(&format!("{kind} {} {}\n    {text}\n    {why}\n", scenario.place, scenario.name));
        }
    }
    if let Ok(path) = std::env::var("REPORT") {
        std::fs::write(format!("{path}.{mode:?}"), &report).unwrap();
    }
    let mut total = [0; 3];
    for (folder, count) in &counts {
        println!("{folder}: {} passed, {} failed, {} skipped", count[0], count[1], count[2]);
        (0..3).for_each(|at| total[at] += count[at]);
    }
    println!("total, {mode:?}: {} passed, {} failed, {} skipped", total[0], total[1], total[2]);
    if wanted.is_empty() {
        assert!(total[0] >= passed_min, "{mode:?}: {} scenarios passed, fewer than {passed_min}", total[0]);
    }
}
