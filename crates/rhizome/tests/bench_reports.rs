//! `rhizome bench publish`, `compare` and `report` as processes: what they print, what they write, what they refuse.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test code")]

mod common;

use std::fs;
use std::path::Path;
use std::process::Output;

use common::{Server, command};
use serde_json::Value;

fn bench(arguments: &[&str]) -> Output {
    command().arg("bench").args(arguments).output().unwrap()
}

fn stdout(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text
}

fn refused(output: &Output) -> String {
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn results(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("results.json")).unwrap()).unwrap()
}

#[test]
fn a_page_is_published_in_its_order_beside_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let page = ["--publish", "hugegraph-0.2-cassandra", "--quick=3s", "--engine", "memory"];
    let output = bench(&[&page[..], &["--vertices", "600", "--edges", "700", "--out", out]].concat());
    let text = stdout(&output);
    let headings: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let expected =
        ["schema-property-keys", "schema-vertex-labels", "schema-edge-labels", "single-vertex", "single-edge"];
    assert_eq!(headings, [&expected[..], &["batch-vertex", "batch-edge"]].concat());
    // Our row and the published one, and the numbers of elements of this page.
    assert!(text.contains("Rhizome (measured)") && text.contains("1,316,124"), "{text}");
    assert!(text.contains("x 199") && text.contains("x 499"), "{text}");
    assert!(text.contains("- Machine: ") && text.contains("rhizome bench --publish hugegraph-0.2-cassandra"), "{text}");
    assert_eq!(fs::read_to_string(folder.path().join("summary.md")).unwrap(), text);
    let results = results(folder.path());
    assert_eq!(results["scenarios"][5]["elements_per_request"], 199.0);
    assert_eq!(results["scenarios"][3]["driver"]["kind"], "paced");
    assert_eq!(results["scenarios"][3]["rows"][0]["concurrency"], 1000);
    assert!(fs::read_to_string(folder.path().join("report.html")).unwrap().contains("HugeGraph 0.2 on Cassandra"));
}

#[test]
fn two_servers_are_compared_and_their_runs_reported_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let servers = ["a", "b"].map(|name| Server::start(&path(name), &["--engine", "memory"]));
    let out = path("out");
    let output = bench(
        &[
            &["compare", &servers[0].url, &servers[1].url, "--scenario", "vertex-by-id,batch-vertex", "--rounds", "2"]
                [..],
            &["--concurrency", "1,3", "--duration", "200ms", "--probe", "100ms", "--warm-up", "50ms"],
            &["--note", "laptop", "--vertices", "300", "--edges", "300", "--out", out.to_str().unwrap()],
        ]
        .concat(),
    );
    let text = stdout(&output);
    assert!(text.contains("Throughput A/B") && text.contains(&format!("A is Rhizome at {}", servers[0].url)), "{text}");
    let ratios: Value = serde_json::from_slice(&fs::read(out.join("ratios.json")).unwrap()).unwrap();
    for (index, scenario) in ["vertex-by-id", "batch-vertex"].iter().enumerate() {
        assert_eq!(ratios[index]["scenario"], *scenario);
        assert_eq!(ratios[index]["rounds"].as_array().unwrap().len(), 2);
        for side in ["first", "second"] {
            let scenario = &results(&out.join(side))["scenarios"][index];
            assert_eq!(scenario["rows"].as_array().unwrap().len(), 2, "one row for each concurrency");
            let best = &ratios[index]["concurrency"][usize::from(side == "second")];
            let note = scenario["notes"].as_array().unwrap().last().unwrap().as_str().unwrap().to_owned();
            assert!(note.contains(&format!("with {best} users is the median")), "{note}");
        }
    }
    // Of servers given by their addresses, the engine is known from metrics and the rest from a person.
    let target = results(&out.join("first"))["target"].clone();
    assert_eq!((&target["engine"], &target["notes"][0]), (&"memory".into(), &"laptop".into()));
    // Pairs are made in turn: four probes and four measurements of the first server are in its samples, none of the
    // second's.
    let jtl = fs::read_to_string(out.join("first/samples.jtl")).unwrap();
    assert!(jtl.contains(&servers[0].url) && !jtl.contains(&servers[1].url));

    let again = path("again");
    let (first, second) = (out.join("first"), out.join("second"));
    let folders = [first.to_str().unwrap(), second.to_str().unwrap()];
    let printed = stdout(&bench(&["report", folders[0], folders[1], "--out", again.to_str().unwrap()]));
    let page = fs::read_to_string(printed.trim()).unwrap();
    assert!(servers.iter().all(|server| page.contains(&server.url)));
}

#[test]
fn what_cannot_be_read_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let report =
        |argument: &Path| refused(&bench(&["report", argument.to_str().unwrap(), "--out", out.to_str().unwrap()]));
    let file = folder.path().join("results.json");
    assert!(report(folder.path()).contains("results.json"));
    fs::write(&file, "{\"format_version\": 2, \"scenarios\": 7}").unwrap();
    let text = report(folder.path());
    assert!(text.contains("format version 2") && text.contains("version 1 only"), "{text}");
    fs::write(&file, "[]").unwrap();
    assert!(report(&file).contains("no result of `rhizome bench`"));
    assert!(!out.exists());
    let text = refused(&bench(&["publish", "hugegraph-9"]));
    assert!(text.contains("hugegraph-0.5.6-cassandra"), "{text}");
    let text = refused(&bench(&["compare", "http://127.0.0.1:1", "http://127.0.0.1:1"]));
    assert!(text.contains("http://127.0.0.1:1"), "{text}");
}
