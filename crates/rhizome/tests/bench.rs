//! `rhizome bench run` as a process: it starts a server, runs every scenario against it, and leaves nothing behind.

use std::process::Command;

use serde_json::Value;

const SCENARIOS: &str = "schema,single-vertex,single-edge,batch-vertex,batch-edge,vertex-by-id,edge-by-id,mixed";

fn bench(arguments: &[&str]) -> Command {
    bench_on("memory", arguments)
}

fn bench_on(engine: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rhizome"));
    command.args(["bench", "run", "--engine", engine, "--vertices", "600", "--edges", "700", "--warm-up", "0s"]);
    command.args(arguments);
    command
}

#[test]
fn every_scenario_runs_without_errors() {
    let folder = tempfile::tempdir().unwrap();
    let (out, data) = (folder.path().join("out"), folder.path().join("data"));
    std::fs::create_dir(&data).unwrap();
    let mut command =
        bench(&["--scenario", SCENARIOS, "--duration", "400ms", "--pacing", "50ms", "--concurrency", "4"]);
    let output = command.arg("--out").arg(&out).arg("--data-in").arg(&data).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("Rhizome (reports version 1.7.0)") && text.contains("90% Line"), "{text}");
    let result: Value = serde_json::from_slice(&std::fs::read(out.join("results.json")).unwrap()).unwrap();
    assert_eq!(result["target"]["engine"], "memory");
    let scenarios = result["scenarios"].as_array().unwrap();
    assert_eq!(scenarios.len(), 10);
    for scenario in scenarios {
        let row = &scenario["rows"][0];
        assert!(row["samples"].as_u64().unwrap() > 0, "{scenario}");
        assert_eq!(row["errors"].as_array().unwrap().len(), 0, "{scenario}");
        if cfg!(target_os = "linux") {
            assert!(row["server_rss_peak_bytes"].as_u64().unwrap() > 0);
        }
    }
    let samples = std::fs::read_to_string(out.join("samples.jtl")).unwrap();
    let counted: u64 = scenarios.iter().map(|scenario| scenario["rows"][0]["samples"].as_u64().unwrap()).sum();
    assert_eq!(samples.lines().count() as u64, counted + 1);
    // The server is gone, and its folder with it.
    assert_eq!(std::fs::read_dir(&data).unwrap().count(), 0);
}

#[test]
fn a_row_ends_after_so_many_requests() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--scenario", "single-vertex", "--driver", "closed", "--duration", "1h", "--concurrency", "2,3"];
    let output = bench(&arguments).args(["--requests", "300", "--out"]).arg(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&std::fs::read(folder.path().join("results.json")).unwrap()).unwrap();
    let rows = result["scenarios"][0]["rows"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| row["samples"].as_u64()).collect::<Vec<_>>(), [Some(300), Some(300)]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_study_starts_a_server_at_each_setting() {
    let arguments = ["--scenario", "single-vertex", "--driver", "closed", "--duration", "200ms", "--concurrency", "2"];
    let folder = tempfile::tempdir().unwrap();
    let mut command = bench_on("rocksdb", &arguments);
    command.args(["--set", "server.blocking_threads=3", "--study", "cpu=1", "memory=64M,128M", "--out"]);
    let output = command.arg(folder.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("single-vertex cpu=1 memory=64M") && text.contains("cpu=1 memory=128M"), "{text}");
    assert!(text.contains("Effect of the settings"), "{text}");
    for page in ["summary.md", "report.html"] {
        let page = std::fs::read_to_string(folder.path().join(page)).unwrap();
        assert!(page.contains("Effect of the settings") && page.contains("memory=128M"), "{page}");
    }
    let result: Value = serde_json::from_slice(&std::fs::read(folder.path().join("results.json")).unwrap()).unwrap();
    assert_eq!(result["target"]["settings"], serde_json::json!(["server.blocking_threads=3"]));
    assert_eq!(result["scenarios"][1]["point"], "cpu=1 memory=128M");
    let samples = std::fs::read_to_string(folder.path().join("samples.jtl")).unwrap();
    assert!(samples.contains("single-vertex cpu=1 memory=128M @2"), "{samples}");
}

#[test]
fn a_late_failure_keeps_the_results_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (folder.path().join("data"), folder.path().join("out"));
    std::fs::create_dir(&data).unwrap();
    // The second point's folder does not exist.
    let study = format!("data={},{}", data.display(), folder.path().join("missing").display());
    let arguments = ["--scenario", "single-vertex", "--driver", "closed", "--duration", "200ms", "--concurrency", "2"];
    let output = bench(&arguments).args(["--study", &study, "--out"]).arg(&out).output().unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!output.status.success() && errors.contains("temporary folder"), "{errors}");
    assert!(text.contains("Effect of the settings"), "{text}");
    let result: Value = serde_json::from_slice(&std::fs::read(out.join("results.json")).unwrap()).unwrap();
    assert!(result["scenarios"][0]["rows"][0]["samples"].as_u64().unwrap() > 0);
    assert!(out.join("report.html").exists());
}

#[test]
fn mistakes_are_told_before_anything_is_started() {
    for (arguments, word) in [
        (["--scenario", "no-such", "--rate", "1"], "single-vertex"),
        (["--scenario", "mixed", "--driver", "open"], "--rate"),
        (["--scenario", "mixed", "--concurrency", "0"], "concurrency"),
        (["--scenario=mixed", "--stress", "--concurrency", "8"], "--from"),
        (["--scenario=mixed", "--stress", "--rate", "8"], "instead of --rate"),
        (["--scenario", "mixed", "--study", "memory=1G"], "--engine rocksdb"),
        (["--scenario", "missing.toml", "--concurrency", "1"], "missing.toml"),
    ] {
        let output = bench(&arguments).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && text.contains(word), "{arguments:?}: {text}");
    }
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_while_it_connects() {
    for signal in ["-INT", "-HUP"] {
        // A server that takes connections and never answers.
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", silent.local_addr().unwrap());
        let mut command = Command::new(env!("CARGO_BIN_EXE_rhizome"));
        command
            .args(["bench", "run", "--scenario", "single-vertex", "--url", &url])
            .stderr(std::process::Stdio::piped());
        let child = command.spawn().unwrap();
        let connection = silent.accept().unwrap();
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains("interrupted before there was a result"), "{text}");
        drop(connection);
    }
}

#[test]
fn the_property_store_is_measured_on_each_engine() {
    for (engine, rows) in [("memory", 10), ("rocksdb", 20)] {
        let folder = tempfile::tempdir().unwrap();
        let (out, data) = (folder.path().join("out"), folder.path().join("data"));
        std::fs::create_dir(&data).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_rhizome"))
            .args(["bench", "property", "--engine", engine, "--quick", "--persons", "40", "--batch-size", "100,10000"])
            .arg("--data-in")
            .arg(&data)
            .arg("--out")
            .arg(&out)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
        for part in ["Durability", "get all", "55,000 to 105,000", "batches of 100", "sorted ingest", "453.4"] {
            assert!(text.contains(part), "no {part} in {text}");
        }
        let result: Value = serde_json::from_slice(&std::fs::read(out.join("property.json")).unwrap()).unwrap();
        let operations = result["operations"].as_array().unwrap();
        assert_eq!(operations.len(), rows, "{engine}");
        for row in operations {
            assert!(row["calls"].as_u64().unwrap() > 0 && row["p50_us"].as_f64().unwrap() > 0.0, "{row}");
            assert!(row["p50_us"].as_f64() <= row["p99_us"].as_f64(), "{row}");
        }
        let loads = result["loads"].as_array().unwrap();
        assert_eq!(loads.len(), 3, "{engine}");
        for load in loads {
            let graph = &result["graph"];
            let rows = graph["nodes"].as_u64().unwrap() + graph["edges"].as_u64().unwrap();
            assert_eq!(load["records"].as_u64().unwrap(), rows, "{load}");
            assert_eq!(load["tenths_per_s"].as_array().unwrap().len(), 10, "{load}");
            assert_eq!(load["disk_bytes"].is_u64(), engine == "rocksdb", "{load}");
        }
        assert!(out.join("summary.md").exists() && out.join("report.html").exists());
        assert_eq!(std::fs::read_dir(&data).unwrap().count(), 0, "data is left");
    }
}

#[test]
fn an_engine_that_is_not_there_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_rhizome"))
        .args(["bench", "property", "--engine", "punchcards", "--quick"])
        .output()
        .unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(text.contains("no storage engine of that name") && text.contains("`punchcards`"), "{text}");
}
