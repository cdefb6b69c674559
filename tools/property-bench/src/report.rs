//! The result as tables next to the published ones: terminal, Markdown, page, JSON.

use std::fs;
use std::path::Path;

use load_test::figures;
use load_test::output::{REPORT_FILE, SUMMARY_FILE};
use load_test::report::tables::{TableReport, TableSection};
use load_test::table::Grid;

use crate::BenchError;
use crate::published::{self, PublishedLoad, PublishedOperation};
use crate::result::{FILE_NAME, GraphFigures, Kind, LoadRow, Mode, OperationRow, PropertyResult, State};

/// What stands where there is no figure.
const NONE: &str = "-";

/// Writes `property.json`, `summary.md` and `report.html` into a folder, which is made.
///
/// # Errors
/// [`BenchError::Output`].
pub fn write(folder: &Path, result: &PropertyResult) -> Result<(), BenchError> {
    let failed = |path: &Path| {
        let path = path.display().to_string();
        move |source| BenchError::Output { path, source }
    };
    fs::create_dir_all(folder).map_err(failed(folder))?;
    let report = report(result);
    let json = serde_json::to_string_pretty(result).map_err(std::io::Error::from).map_err(failed(folder))?;
    for (name, text) in [(FILE_NAME, json + "\n"), (SUMMARY_FILE, report.markdown()), (REPORT_FILE, report.html())] {
        let path = folder.join(name);
        fs::write(&path, text).map_err(failed(&path))?;
    }
    Ok(())
}

/// The report of a result.
#[must_use]
pub fn report(result: &PropertyResult) -> TableReport {
    let mut sections = Vec::new();
    if !result.operations.is_empty() {
        sections.push(operations(result));
        sections.push(compared_operations(result));
    }
    if !result.loads.is_empty() {
        sections.push(loads(result));
        sections.push(compared_loads(result));
    }
    let warning =
        result.interrupted.then_some("The run was ended early: the figures are what was measured until then.");
    TableReport {
        title: format!("Property store on {}", result.engine),
        facts: facts(result),
        sections,
        warning: warning.map(str::to_owned),
    }
}

fn facts(result: &PropertyResult) -> Vec<(&'static str, String)> {
    let machine = &result.machine;
    let mut facts = vec![
        ("Engine", result.engine.clone()),
        ("Durability", result.durability.clone()),
        ("Settings", result.settings.join(", ")),
        (
            "Machine",
            format!(
                "{}, {} logical processors, {}, {}",
                machine.cpu_model,
                machine.cores,
                figures::bytes(machine.memory_bytes),
                machine.os
            ),
        ),
        ("Graph", result.graph.as_ref().map(graph_text).unwrap_or_default()),
        ("Notes", result.notes.join("; ")),
        ("Started", result.started_at.clone()),
        ("Tool", format!("rhizome {}", result.tool_version)),
        ("Command", result.command_line.clone()),
    ];
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

fn graph_text(graph: &GraphFigures) -> String {
    let size = match graph.scale_factor.as_str() {
        "" => String::new(),
        factor => format!("scale factor {factor}, "),
    };
    let properties = if graph.ids_only { "without properties" } else { "with all properties" };
    format!(
        "{size}{} persons, seed {}: {} nodes and {} edges {properties}, {} records ({} with keys, before compression)",
        figures::count(graph.persons),
        graph.seed,
        figures::count(graph.nodes),
        figures::count(graph.edges),
        figures::count(graph.records_stored),
        figures::bytes(graph.bytes),
    )
}

fn operations(result: &PropertyResult) -> TableSection {
    let headers = ["Operation", "Of", "State", "Calls", "Mean us", "p50 us", "p99 us", "Max us"];
    let rows = result.operations.iter().map(|row| {
        let times = &row.times;
        let mut cells = vec![row.operation.name().to_owned(), row.kind.name().to_owned(), row.state.name().to_owned()];
        cells.push(figures::count(row.calls));
        cells.extend([times.mean_us, times.p50_us, times.p99_us, times.max_us].map(figures::number));
        cells
    });
    TableSection {
        title: "Single operations".to_owned(),
        lead: format!(
            "Microseconds for one record or key; where a call has several, its time divided by them. Records of one \
             field among {} stored nodes and as many edges. Cold: the engine was just opened and nothing of its files \
             was in memory. Warm: everything was read before.",
            figures::count(result.stored_records)
        ),
        grid: Grid {
            headers: headers.map(str::to_owned).to_vec(),
            rows: rows.collect(),
            marked: None,
            text_columns: 3,
        },
        notes: Vec::new(),
    }
}

fn compared_operations(result: &PropertyResult) -> TableSection {
    let headers = [
        "Operation",
        "Nodes here",
        "Edges here",
        "State",
        "Published RocksDB",
        "Published TiKV",
        "Published TiKV cluster",
    ];
    let find = |published: &PublishedOperation, kind: Kind, state: State| -> Option<&OperationRow> {
        let of = |row: &&OperationRow| (row.operation, row.kind, row.state) == (published.operation, kind, state);
        result.operations.iter().find(of)
    };
    let mut rows = Vec::new();
    for published in &published::OPERATIONS {
        for state in [State::Cold, State::Warm] {
            let ours = [Kind::Nodes, Kind::Edges].map(|kind| find(published, kind, state));
            if ours.iter().all(Option::is_none) {
                continue;
            }
            let mut cells = vec![published.operation.name().to_owned()];
            cells.extend(ours.map(|row| row.map_or_else(|| NONE.to_owned(), |row| figures::number(row.times.mean_us))));
            cells.push(state.name().to_owned());
            cells.extend([published.rocksdb_us, published.tikv_us, published.tikv_cluster_us].map(range));
            rows.push(cells);
        }
    }
    TableSection {
        title: "Single operations compared with the published ones".to_owned(),
        lead: "Means in microseconds for one record or key; the page gives ranges.".to_owned(),
        grid: Grid { headers: headers.map(str::to_owned).to_vec(), rows, marked: None, text_columns: 1 },
        notes: vec![published::CAUTION.to_owned(), format!("The page: {}", published::PAGE)],
    }
}

fn range(published: Option<(f64, f64)>) -> String {
    match published {
        None => NONE.to_owned(),
        Some((from, to)) if from < to => format!("{} to {}", figures::number(from), figures::number(to)),
        Some((only, _)) => figures::number(only),
    }
}

fn loads(result: &PropertyResult) -> TableSection {
    let headers = [
        "Load",
        "Records",
        "Total s",
        "Records/s",
        "Generating s",
        "Storing s",
        "First tenth/s",
        "Last tenth/s",
        "Last/first",
        "On disk",
        "Memory",
    ];
    let tenth = |tenth: Option<&f64>| tenth.map_or_else(|| NONE.to_owned(), |speed| figures::number(speed.round()));
    let rows = result.loads.iter().map(|row| {
        let percent = row.last_tenth_percent();
        vec![
            row.mode.to_string(),
            figures::count(row.records),
            figures::number(row.total_s),
            figures::number(row.records_per_s.round()),
            figures::number(row.generate_s),
            figures::number(row.store_s),
            tenth(row.tenths_per_s.first()),
            tenth(row.tenths_per_s.last()),
            percent.map_or_else(|| NONE.to_owned(), |percent| format!("{percent:.0}%")),
            row.disk_bytes.map_or_else(|| NONE.to_owned(), figures::bytes),
            row.rss_peak_bytes.map_or_else(|| NONE.to_owned(), figures::bytes),
        ]
    });
    TableSection {
        title: "A whole graph".to_owned(),
        lead: "Each load begins with an empty store. Total: from the start of the generator until everything is \
             acknowledged and on the disk. Generating and storing run at the same time, in threads of their own: \
             generating is making and encoding rows, storing the calls of the store (of sorted ingest: handing over, \
             waiting for sorting, merging, ingesting). Tenths are of the records, by the clock from the first record \
             on; of sorted ingest, both passes over them together. On disk: the data folder right after the load, log \
             included. Memory: of the whole process, the generator included."
            .to_owned(),
        grid: Grid {
            headers: headers.map(str::to_owned).to_vec(),
            rows: rows.collect(),
            marked: None,
            text_columns: 1,
        },
        notes: Vec::new(),
    }
}

fn compared_loads(result: &PropertyResult) -> TableSection {
    let headers = ["Load", "Graph", "Batch", "Seconds", "Records/s", "Note"];
    let ours = result.loads.iter().map(|row: &LoadRow| {
        let batch = match row.mode {
            Mode::Batches(records) => figures::count(records as u64),
            Mode::SortedIngest => "sorted".to_owned(),
        };
        let graph = match result.graph.as_ref().map(|graph| (graph.scale_factor.as_str(), graph.ids_only)) {
            None | Some(("", _)) => "generated".to_owned(),
            Some((factor, true)) => format!("scale factor {factor}, ids only"),
            Some((factor, false)) => format!("scale factor {factor}"),
        };
        vec![
            format!("Rhizome, {} (measured)", result.engine),
            graph,
            batch,
            figures::number(row.total_s),
            figures::number(row.records_per_s.round()),
            String::new(),
        ]
    });
    let theirs = published::LOADS.iter().flat_map(|load| {
        [("TiKV cluster", load.tikv_s), ("RocksDB", load.rocksdb_s)]
            .into_iter()
            .filter_map(|(system, seconds)| Some(published_load(load, system, seconds?)))
    });
    TableSection {
        title: "A whole graph compared with the published loads".to_owned(),
        lead:
            "DG10 has about 206.6 million nodes and edges, DG60 about 1.44 billion; records a second follow from these."
                .to_owned(),
        grid: Grid {
            headers: headers.map(str::to_owned).to_vec(),
            rows: ours.chain(theirs).collect(),
            marked: None,
            text_columns: 2,
        },
        notes: vec![
            "Seconds: the page's \"ms\" of 3 September are seconds, as its author's next version says.".to_owned(),
        ],
    }
}

fn published_load(load: &PublishedLoad, system: &str, seconds: f64) -> Vec<String> {
    vec![
        format!("{system} ({})", load.version),
        load.graph.to_owned(),
        figures::count(load.batch.into()),
        figures::number(seconds),
        figures::number((published::records(load.graph) / seconds).round()),
        load.note.to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{Operation, Times};

    fn result() -> PropertyResult {
        let times = Times { mean_us: 2.5, p50_us: 2.0, p99_us: 9.0, max_us: 100.0 };
        let (operation, kind, state) = (Operation::GetAll, Kind::Nodes, State::Warm);
        PropertyResult {
            engine: "rocksdb".to_owned(),
            operations: vec![OperationRow { operation, kind, state, calls: 1000, records_per_call: 1, times }],
            graph: Some(GraphFigures { scale_factor: "1".to_owned(), nodes: 10, ..GraphFigures::default() }),
            loads: vec![LoadRow {
                mode: Mode::Batches(500),
                records: 20_000_000,
                total_s: 40.0,
                generate_s: 10.0,
                store_s: 38.0,
                records_per_s: 500_000.0,
                tenths_per_s: vec![500_000.0, 450_000.0],
                disk_bytes: Some(1 << 30),
                rss_peak_bytes: None,
            }],
            ..PropertyResult::default()
        }
    }

    #[test]
    fn our_figures_are_shown_next_to_the_published_ones() {
        let report = report(&result());
        for text in [report.to_terminal(), report.markdown(), report.html()] {
            for part in ["30 to 60", "500,000", "90%", "1.0 GiB", "453.4", "15,229", "2.50", "batches of 500"] {
                assert!(text.contains(part), "no {part} in {text}");
            }
        }
    }

    #[test]
    fn the_folder_has_what_was_measured() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("a");
        write(&out, &result()).unwrap();
        let read: PropertyResult = serde_json::from_slice(&fs::read(out.join(FILE_NAME)).unwrap()).unwrap();
        assert_eq!(read, result());
        assert!(out.join(SUMMARY_FILE).exists() && out.join(REPORT_FILE).exists());
    }
}
