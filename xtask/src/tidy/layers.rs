//! Which crate may know which: the table below is the architecture, and a manifest that differs is a problem. It lists
//! what is allowed, so removing a dependency never breaks it.
//!
//! Dependencies for tests (`dev-dependencies`) may point anywhere: they do not reach the product.

use anyhow::{Context, Result};
use toml_edit::DocumentMut;

use crate::report::Report;

/// A crate and the crates of ours that it may use.
const LAYERS: &[(&str, &[&str])] = &[
    ("graph-model", &[]),
    ("analytics", &[]),
    ("audit", &[]),
    ("kv", &[]),
    ("backup", &["kv", "threads"]),
    ("api-client", &[]),
    ("graph-gen", &[]),
    ("query-value", &[]),
    ("cypher-value", &[]),
    ("gremlin", &["query-value"]),
    ("cypher", &["cypher-value"]),
    ("tagged-value", &[]),
    ("text-analysis", &[]),
    ("threads", &[]),
    ("openapi-document", &[]),
    ("rest-description", &["openapi-document"]),
    ("xtask", &[]),
    ("gremlin-codec", &["gremlin", "query-value"]),
    ("graph-schema", &["graph-model", "tagged-value", "text-analysis"]),
    ("kv-cassandra", &["kv"]),
    ("kv-rocksdb", &["kv"]),
    ("kv-tikv", &["kv"]),
    ("property-store", &["kv"]),
    ("adjacency", &["graph-model"]),
    ("graph-access", &["adjacency", "graph-model", "graph-schema"]),
    ("auto-graph", &["graph-access", "graph-model", "graph-schema", "query-value", "tagged-value"]),
    ("query-plan", &["query-value"]),
    ("gremlin-plan", &["gremlin", "query-plan", "query-value"]),
    ("query-pipeline", &["auto-graph", "graph-access", "graph-model", "graph-schema", "query-plan", "query-value"]),
    (
        "query-exec",
        &[
            "adjacency",
            "auto-graph",
            "graph-access",
            "graph-model",
            "graph-schema",
            "query-pipeline",
            "query-plan",
            "query-value",
        ],
    ),
    ("cypher-plan", &["cypher", "cypher-value", "graph-model"]),
    (
        "cypher-exec",
        &[
            "cypher",
            "adjacency",
            "cypher-plan",
            "cypher-value",
            "graph-access",
            "graph-model",
            "graph-schema",
            "tagged-value",
        ],
    ),
    ("traversal", &["adjacency", "graph-model", "graph-access"]),
    ("key-codec", &["graph-model", "graph-schema", "kv"]),
    ("edge-rows", &["adjacency", "graph-model", "graph-access", "key-codec", "kv"]),
    ("graph-store", &["adjacency", "edge-rows", "graph-model", "graph-schema", "graph-access", "key-codec", "kv"]),
    ("graph-maintenance", &["graph-model", "graph-schema", "graph-access", "graph-store", "key-codec", "kv"]),
    (
        "graph-host",
        &[
            "adjacency",
            "graph-model",
            "graph-schema",
            "graph-access",
            "graph-store",
            "graph-maintenance",
            "key-codec",
            "kv",
        ],
    ),
    ("auth", &["audit", "graph-access", "graph-host", "graph-model", "graph-schema", "graph-store", "key-codec", "kv"]),
    (
        "graph-analysis",
        &[
            "analytics",
            "graph-host",
            "graph-maintenance",
            "graph-model",
            "graph-schema",
            "graph-store",
            "key-codec",
            "kv",
            "threads",
        ],
    ),
    (
        "backup-service",
        &["backup", "graph-access", "graph-host", "graph-maintenance", "graph-model", "graph-store", "kv"],
    ),
    (
        "query-service",
        &[
            "auth",
            "graph-access",
            "graph-host",
            "graph-maintenance",
            "graph-model",
            "graph-schema",
            "graph-store",
            "gremlin",
            "gremlin-codec",
            "gremlin-plan",
            "query-exec",
            "query-plan",
            "query-value",
        ],
    ),
    ("graph-view", &["auth", "graph-access", "graph-host", "graph-model", "graph-schema", "graph-store", "kv"]),
    ("rest-users", &["auth", "graph-model"]),
    ("rest-metrics", &["graph-host", "serving"]),
    ("rest-json", &["cypher-value", "graph-model", "graph-schema", "query-value", "tagged-value"]),
    ("fuzz", &["fuzz-targets"]),
    (
        "fuzz-targets",
        &[
            "backup",
            "bolt-codec",
            "bolt-server",
            "bulk-load",
            "cypher",
            "cypher-value",
            "graph-access",
            "graph-host",
            "graph-model",
            "graph-schema",
            "graph-store",
            "gremlin",
            "gremlin-codec",
            "gremlin-plan",
            "http-server",
            "key-codec",
            "kv",
            "query-plan",
            "rest-json",
            "tagged-value",
        ],
    ),
    (
        "cypher-tck",
        &["cypher", "cypher-exec", "cypher-value", "graph-access", "graph-host", "graph-store", "key-codec", "kv"],
    ),
    ("serving", &["audit", "threads"]),
    ("tls", &[]),
    ("bolt-codec", &["cypher-value"]),
    (
        "cypher-session",
        &[
            "auth",
            "cypher-exec",
            "cypher-value",
            "graph-access",
            "graph-host",
            "graph-store",
            "graph-view",
            "query-service",
            "serving",
            "threads",
        ],
    ),
    ("bolt-server", &["audit", "auth", "bolt-codec", "cypher-session", "cypher-value", "serving", "tls"]),
    ("http-server", &["serving", "tls"]),
    ("web-ui", &["http-server"]),
    ("query-api", &["audit", "auth", "cypher-session", "cypher-value", "http-server", "serving"]),
    (
        "gremlin-server",
        &[
            "audit",
            "auth",
            "graph-model",
            "gremlin",
            "gremlin-codec",
            "http-server",
            "query-service",
            "query-value",
            "serving",
        ],
    ),
    (
        "rest-errors",
        &[
            "auth",
            "graph-access",
            "graph-model",
            "graph-schema",
            "graph-store",
            "graph-view",
            "http-server",
            "rest-json",
            "serving",
            "traversal",
        ],
    ),
    (
        "rest-api",
        &[
            "audit",
            "backup-service",
            "graph-analysis",
            "auth",
            "cypher-session",
            "cypher-value",
            "query-service",
            "graph-access",
            "graph-model",
            "graph-schema",
            "graph-store",
            "graph-host",
            "rest-json",
            "serving",
            "http-server",
            "openapi-document",
            "rest-description",
            "rest-errors",
            "rest-metrics",
            "rest-users",
            "graph-view",
            "traversal",
        ],
    ),
    (
        "bulk-load",
        &[
            "api-client",
            "graph-model",
            "graph-schema",
            "key-codec",
            "kv",
            "graph-store",
            "graph-maintenance",
            "graph-host",
            "rest-json",
        ],
    ),
    ("load-test", &["api-client", "threads"]),
    (
        "bench-cli",
        &["api-client", "graph-gen", "kv", "load-test", "property-bench", "property-store", "serving", "threads"],
    ),
    ("property-bench", &["kv", "property-store", "graph-gen", "load-test"]),
    (
        "rhizome",
        &[
            "audit",
            "backup",
            "backup-service",
            "graph-analysis",
            "bolt-server",
            "cypher-session",
            "query-api",
            "web-ui",
            "auth",
            "gremlin-server",
            "query-service",
            "bench-cli",
            "graph-access",
            "graph-model",
            "graph-schema",
            "graph-store",
            "graph-maintenance",
            "graph-host",
            "rest-json",
            "key-codec",
            "kv",
            "kv-cassandra",
            "kv-rocksdb",
            "kv-tikv",
            "http-server",
            "rest-api",
            "serving",
            "api-client",
            "bulk-load",
            "graph-gen",
            "threads",
            "tls",
            "traversal",
            "property-store",
        ],
    ),
];

/// External crates that bring HTTP types, and the crates that may use them: one speaks HTTP as a server and one answers
/// over it, one is a client, and the load tester without anything in between that would cost time.
const HTTP: [&str; 7] = ["axum", "http", "http-body-util", "hyper", "hyper-util", "reqwest", "tower"];
const HTTP_USERS: [&str; 8] =
    ["http-server", "rest-api", "rest-errors", "gremlin-server", "query-api", "web-ui", "api-client", "load-test"];

/// Checks one manifest of a crate.
pub(crate) fn check(path: &str, manifest: &str, report: &mut Report) -> Result<()> {
    let document: DocumentMut = manifest.parse().with_context(|| format!("{path} is not TOML"))?;
    let name = document
        .get("package")
        .and_then(|package| package.get("name"))
        .and_then(|name| name.as_str())
        .with_context(|| format!("{path} has no package name"))?;
    let Some((_, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == name) else {
        report
            .problems
            .push(format!("{path}: crate {name} is in no layer; give it a line in xtask/src/tidy/layers.rs"));
        return Ok(());
    };
    let tables = ["dependencies", "build-dependencies"].into_iter().filter_map(|table| document.get(table)?.as_table());
    for (dependency, _) in tables.flat_map(|table| table.iter()) {
        let ours = LAYERS.iter().any(|(layer, _)| *layer == dependency);
        if ours && !allowed.contains(&dependency) {
            report.problems.push(format!("{path}: {name} must not know {dependency} (xtask/src/tidy/layers.rs)"));
        }
        if HTTP.contains(&dependency) && !HTTP_USERS.contains(&name) {
            report.problems.push(format!("{path}: {name} must not know HTTP ({dependency})"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(manifest: &str) -> Vec<String> {
        let mut report = Report::default();
        check("crates/a/Cargo.toml", manifest, &mut report).unwrap();
        report.problems
    }

    #[test]
    fn downward_is_allowed() {
        let manifest = "[package]\nname = \"kv-rocksdb\"\n[dependencies]\nkv.workspace = true\nbytes = \"1\"\n";
        assert!(problems(manifest).is_empty());
    }

    #[test]
    fn upward_sideways_and_http_are_not() {
        for dependency in ["graph-store", "graph-model", "rhizome", "http"] {
            let manifest = format!("[package]\nname = \"kv\"\n[dependencies]\n{dependency}.workspace = true\n");
            assert_eq!(problems(&manifest).len(), 1, "{dependency}");
        }
    }

    #[test]
    fn test_dependencies_are_free() {
        let manifest = "[package]\nname = \"graph-store\"\n[dev-dependencies]\nkv-rocksdb.workspace = true\n";
        assert!(problems(manifest).is_empty());
    }

    #[test]
    fn an_unknown_crate_is_told() {
        assert_eq!(problems("[package]\nname = \"newcomer\"\n").len(), 1);
    }
}
