//! The figures of a server as HugeGraph and Prometheus show them: texts and JSON of what `serving`, the engine and the
//! stores of graphs count. What it is not: it counts nothing itself, and knows no route.

mod open_metrics;

pub use open_metrics::OPEN_METRICS;

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use graph_host::Store;
use prometheus::proto::{Metric, MetricFamily, MetricType};
use prometheus::{Encoder as _, TextEncoder};
use serde_json::{Map, Value, json};
use serving::{EndpointMetrics, Endpoints, Serving, kept_bytes, program_bytes, resident_bytes};

/// HugeGraph's groups of metrics.
pub const GROUPS: [&str; 5] = ["gauges", "counters", "histograms", "meters", "timers"];

const MEBIBYTE: u64 = 1024 * 1024;
const GIBIBYTE: u64 = 1024 * MEBIBYTE;

/// The memory of the process by its parts.
const MEMORY: &str = "rhizome_memory_bytes";

/// A figure of an endpoint.
type Figure = fn(&EndpointMetrics) -> f64;

/// Where the figures of a server are.
#[derive(Clone, Copy)]
pub struct Figures<'s> {
    /// Its graphs and their engine.
    pub store: &'s Store,
    /// Its threads, queues and counters.
    pub serving: &'s Serving,
    /// The counters of its endpoints.
    pub endpoints: &'s Endpoints,
    /// The version of HugeGraph whose API it serves.
    pub version: &'static str,
}

impl Figures<'_> {
    /// Everything, by HugeGraph's groups.
    #[must_use]
    pub fn groups(&self) -> Value {
        Value::Object(GROUPS.iter().map(|group| ((*group).to_owned(), self.group(group))).collect())
    }

    /// Everything, in the text format of Prometheus
    /// (<https://prometheus.io/docs/instrumenting/exposition_formats/>).
    ///
    /// # Errors
    /// A metric that has no name or no value: a defect.
    pub fn text(&self) -> Result<String, prometheus::Error> {
        let mut bytes = Vec::new();
        TextEncoder::new().encode(&self.families(), &mut bytes)?;
        let mut text = self.head();
        text.push_str(&String::from_utf8_lossy(&bytes));
        for (name, help, value) in self.process_and_engine() {
            let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        }
        let _ = writeln!(
            text,
            "# HELP {MEMORY} Memory of the process by what holds it; the parts add up to what is in RAM"
        );
        let _ = writeln!(text, "# TYPE {MEMORY} gauge");
        for (part, help, bytes) in self.memory() {
            let _ = writeln!(text, "# {part}: {help}\n{MEMORY}{{part=\"{part}\"}} {bytes}");
        }
        Ok(text)
    }

    /// The same in the text format of OpenMetrics, with exemplars.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub fn open_metrics(&self) -> Result<String, prometheus::Error> {
        Ok(open_metrics::of(&self.text()?, self.endpoints))
    }

    /// How often and how fast every endpoint answered.
    #[must_use]
    pub fn statistics(&self) -> Value {
        let mut all = Map::new();
        for endpoint in self.endpoints.all().filter(|endpoint| endpoint.counts() != (0, 0)) {
            let ((succeeded, failed), (longest, mean)) = (endpoint.counts(), endpoint.times_ms());
            all.insert(
                format!("{}/{}", endpoint.template.trim_start_matches('/'), endpoint.method),
                json!({
                    "MAX_RESPONSE_TIME": longest, "MEAN_RESPONSE_TIME": mean,
                    "TOTAL_REQUEST": succeeded + failed, "FAILED_REQUEST": failed, "SUCCESS_REQUEST": succeeded,
                }),
            );
        }
        Value::Object(all)
    }

    /// The same as text.
    #[must_use]
    pub fn statistics_text(&self) -> String {
        let mut text = self.head();
        let asked: Vec<_> = self.endpoints.all().filter(|endpoint| endpoint.counts() != (0, 0)).collect();
        let families: [(&str, &str, &str, Figure); 4] = [
            ("max_response_seconds", "gauge", "Longest time of an answer", |of| of.times_ms().0 / 1_000.0),
            ("mean_response_seconds", "gauge", "Mean time of an answer", |of| of.times_ms().1 / 1_000.0),
            ("succeeded_total", "counter", "Answers below 400", |of| of.counts().0 as f64),
            ("failed_total", "counter", "Answers from 400 on", |of| of.counts().1 as f64),
        ];
        for (name, kind, help, value) in families {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "# HELP rhizome_http_{name} {help}\n# TYPE rhizome_http_{name} {kind}");
            for endpoint in &asked {
                let (path, method) = (&endpoint.template, &endpoint.method);
                let _ =
                    writeln!(text, "rhizome_http_{name}{{path=\"{path}\",method=\"{method}\"}} {}", value(endpoint));
            }
        }
        text
    }

    /// Memory, processors and uptime, in the form of HugeGraph; what only a Java process has is 0.
    #[must_use]
    pub fn system(&self) -> Value {
        let used = resident_bytes() / MEBIBYTE;
        let uptime_ms = u64::try_from(self.serving.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let memory = json!({ "committed": used, "init": 0, "used": used, "max": 0 });
        json!({
            "basic": {
                "mem": used, "mem_total": used, "mem_used": used, "mem_free": 0, "mem_unit": "MB",
                "processors": processors, "uptime": uptime_ms, "systemload_average": load_average(),
            },
            "heap": memory,
            "nonheap": { "committed": 0, "init": 0, "used": 0, "max": 0 },
            "thread": { "peak": 0, "daemon": 0, "total_started": 0, "count": thread_count() },
            "class_loading": { "count": 0, "loaded": 0, "unloaded": 0 },
            "garbage_collector": { "time_unit": "ms" },
        })
    }

    /// The engine's figures for every graph. Graphs share the engine, so they show the same.
    #[must_use]
    pub fn backend(&self) -> Value {
        let engine = self.store.engine();
        let mut figures = Map::new();
        for statistic in engine.statistics() {
            figures.insert(statistic.name.to_owned(), json!(statistic.value));
        }
        let memory: f64 = engine.memory().iter().map(|part| part.value).sum();
        let disk =
            ["total_sst_bytes", "wal_bytes"].into_iter().filter_map(|name| figures.get(name)?.as_f64()).sum::<f64>();
        for (name, figure) in [
            ("mem_used", json!(memory / MEBIBYTE as f64)),
            ("mem_used_readable", json!(format!("{:.2} MB", memory / MEBIBYTE as f64))),
            ("mem_unit", json!("MB")),
            ("disk_usage", json!(disk / GIBIBYTE as f64)),
            ("disk_usage_readable", json!(format!("{:.2} MB", disk / MEBIBYTE as f64))),
            ("disk_unit", json!("GB")),
        ] {
            figures.insert(name.to_owned(), figure);
        }
        let graph = json!({
            "backend": engine.name(), "nodes": 1, "cluster_id": "local", "servers": { "local": figures },
        });
        let graphs: Map<String, Value> =
            self.store.graph_names().into_iter().map(|name| (name, graph.clone())).collect();
        Value::Object(graphs)
    }

    /// The first lines of a text: which HugeGraph this speaks for, and what it keeps its graphs in.
    fn head(&self) -> String {
        let version = self.version;
        let engine = self.store.engine().name();
        format!(
            "# HELP hugegraph_info The version of HugeGraph whose API is served\n\
             # TYPE hugegraph_info untyped\nhugegraph_info{{version=\"{version}\",}} 1.0\n\
             # HELP rhizome_info The storage engine\n# TYPE rhizome_info gauge\nrhizome_info{{engine=\"{engine}\"}} 1\n"
        )
    }

    fn families(&self) -> Vec<MetricFamily> {
        self.serving.refresh_gauges();
        self.serving.metrics.registry.gather()
    }

    fn process_and_engine(&self) -> Vec<(String, &'static str, f64)> {
        let mut all = vec![
            (
                "process_resident_memory_bytes".to_owned(),
                "Memory of the process that is in RAM",
                resident_bytes() as f64,
            ),
            (
                "process_start_time_seconds".to_owned(),
                "When the process was started, in seconds since 1970 UTC",
                self.started_s(),
            ),
            ("process_uptime_seconds".to_owned(), "Time since the start", self.serving.started.elapsed().as_secs_f64()),
        ];
        if let Some((free, size)) = self.serving.watch.disk.room() {
            all.push(("rhizome_disk_free_bytes".to_owned(), "Free room on the disk of the data", free as f64));
            all.push(("rhizome_disk_size_bytes".to_owned(), "Size of the disk of the data", size as f64));
        }
        let purged = self.store.purged();
        all.push((
            "rhizome_expired_vertices_total".to_owned(),
            "Vertices deleted because they had expired",
            purged.vertices as f64,
        ));
        all.push((
            "rhizome_expired_edges_total".to_owned(),
            "Edges deleted because they had expired",
            purged.edges as f64,
        ));
        let adjacency = self.store.adjacency();
        for (name, help, value) in [
            ("bytes", "Memory of the neighbours kept for traversals", adjacency.bytes as u64),
            ("vertices", "Vertices that have numbers for traversals", adjacency.vertices),
            ("hits_total", "Vertices whose neighbours a traversal found in memory", adjacency.hits),
            ("misses_total", "Vertices whose neighbours a traversal had to read", adjacency.misses),
            ("evicted_total", "Lists of neighbours given up for others", adjacency.evicted),
        ] {
            all.push((format!("rhizome_adjacency_cache_{name}"), help, value as f64));
        }
        if let Some(spans) = self.serving.options.traces.counts() {
            for (name, help, value) in [
                ("sent_total", "Spans that the collector of traces has", spans.sent),
                ("failed_total", "Spans that the collector of traces did not take or was not there for", spans.failed),
                ("dropped_total", "Spans dropped because too many waited for the collector of traces", spans.dropped),
                ("waiting", "Spans that wait for the collector of traces", spans.waiting),
            ] {
                all.push((format!("rhizome_traces_spans_{name}"), help, value as f64));
            }
        }
        let statistics = self.store.engine().statistics();
        all.extend(statistics.into_iter().map(|s| (format!("rhizome_engine_{}", s.name), s.help, s.value)));
        all
    }

    /// When the server was started, in seconds since 1970 UTC.
    fn started_s(&self) -> f64 {
        let since = self.serving.started.elapsed();
        let started = SystemTime::now().checked_sub(since).unwrap_or(UNIX_EPOCH);
        started.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
    }

    /// What the memory of the process in RAM is made of: parts that are counted, and the rest.
    fn memory(&self) -> Vec<(&'static str, &'static str, f64)> {
        let mut parts: Vec<_> =
            self.store.memory().into_iter().map(|part| (part.name, part.help, part.value)).collect();
        parts.push(("request_bodies", "Bodies of requests at work", self.serving.admission.bytes() as f64));
        parts.push(("program", "The program and its libraries, as far as they are in RAM", program_bytes() as f64));
        if let Some(kept) = kept_bytes() {
            parts.push(("allocator", "Freed memory that the allocator keeps for what comes next", kept as f64));
        }
        let counted: f64 = parts.iter().map(|(_, _, bytes)| bytes).sum();
        let rest = "Threads, connections, answers under way, and what else is not counted; \
        negative where parts are counted that the system \
                    has not given memory for yet";
        parts.push(("rest", rest, resident_bytes() as f64 - counted));
        parts
    }

    /// The figures of one of HugeGraph's groups, by name. Histograms of time are its timers.
    #[must_use]
    pub fn group(&self, group: &str) -> Value {
        let mut all = Map::new();
        if group == "gauges" {
            for (name, _, value) in self.process_and_engine() {
                all.insert(name, json!({ "value": value }));
            }
            for (part, _, bytes) in self.memory() {
                all.insert(format!("{MEMORY}.{part}"), json!({ "value": bytes }));
            }
        }
        for family in self.families() {
            for metric in family.get_metric() {
                let figure = match (group, family.get_field_type()) {
                    ("gauges", MetricType::GAUGE) => json!({ "value": metric.get_gauge().get_value() }),
                    ("counters", MetricType::COUNTER) => json!({ "count": metric.get_counter().get_value() }),
                    ("timers", MetricType::HISTOGRAM) => timer(metric),
                    _ => continue,
                };
                all.insert(full_name(family.name(), metric), figure);
            }
        }
        Value::Object(all)
    }
}

fn timer(metric: &Metric) -> Value {
    let histogram = metric.get_histogram();
    let count = histogram.get_sample_count();
    let mean = if count == 0 { 0.0 } else { histogram.get_sample_sum() / count as f64 };
    json!({ "count": count, "mean": mean, "duration_unit": "seconds" })
}

fn full_name(name: &str, metric: &Metric) -> String {
    metric.get_label().iter().fold(name.to_owned(), |full, label| format!("{full}.{}", label.value()))
}

fn thread_count() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

fn load_average() -> f64 {
    let load = || std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok();
    load().unwrap_or_default()
}
