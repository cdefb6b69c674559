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
    ("client-arguments", &["api-client"]),
    ("graph-gen", &[]),
    ("query-value", &[]),
    ("cypher-value", &[]),
    ("gremlin", &["query-value"]),
    ("cypher", &["cypher-value"]),
    ("tagged-value", &[]),
    ("text-analysis", &[]),
    ("profiling", &[]),
    ("merge-locks", &[]),
    ("stripe-locks", &["graph-model"]),
    ("threads", &[]),
    ("oidc", &[]),
    ("openapi-document", &[]),
    ("rest-description", &["openapi-document"]),
    ("xtask", &[]),
    ("gremlin-codec", &["gremlin", "query-value"]),
    ("graph-schema", &["graph-model", "tagged-value", "text-analysis"]),
    ("traces", &["kv"]),
    ("kv-cassandra", &["kv"]),
    ("row-cache", &["kv"]),
    ("kv-rocksdb", &["kv", "row-cache"]),
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
    ("cypher-stored", &["cypher-value", "graph-model", "graph-schema", "tagged-value"]),
    (
        "cypher-graph",
        &["adjacency", "cypher-stored", "cypher-value", "graph-access", "graph-model", "graph-schema", "tagged-value"],
    ),
    ("cypher-plan", &["cypher", "cypher-value", "graph-model"]),
    ("cypher-statistics", &["adjacency", "cypher-plan", "cypher-value", "graph-access", "graph-model", "graph-schema"]),
    ("pattern-join", &["adjacency", "graph-access", "graph-model"]),
    (
        "cypher-exec",
        &[
            "cypher",
            "adjacency",
            "cypher-graph",
            "cypher-plan",
            "cypher-stored",
            "cypher-value",
            "graph-access",
            "graph-model",
            "graph-schema",
            "merge-locks",
            "pattern-join",
            "tagged-value",
        ],
    ),
    ("traversal", &["adjacency", "graph-model", "graph-access"]),
    ("key-codec", &["graph-model", "graph-schema", "kv", "tagged-value"]),
    ("edge-rows", &["adjacency", "graph-model", "graph-access", "key-codec", "kv"]),
    ("element-counts", &["graph-model", "key-codec", "kv"]),
    ("store-error", &["adjacency", "edge-rows", "graph-access", "graph-model", "graph-schema", "key-codec", "kv"]),
    (
        "graph-store",
        &[
            "adjacency",
            "edge-rows",
            "element-counts",
            "graph-model",
            "graph-schema",
            "graph-access",
            "key-codec",
            "kv",
            "store-error",
            "stripe-locks",
        ],
    ),
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
            "row-cache",
            "threads",
        ],
    ),
    (
        "auth",
        &[
            "audit",
            "graph-access",
            "graph-host",
            "graph-model",
            "graph-schema",
            "graph-store",
            "key-codec",
            "kv",
            "oidc",
        ],
    ),
    (
        "graph-analysis",
        &[
            "analytics",
            "graph-access",
            "graph-host",
            "graph-maintenance",
            "graph-model",
            "graph-schema",
            "graph-store",
            "key-codec",
            "kv",
            "tagged-value",
            "threads",
        ],
    ),
    (
        "backup-service",
        &["backup", "graph-access", "graph-host", "graph-maintenance", "graph-model", "graph-store", "kv", "threads"],
    ),
    (
        "query-service",
        &[
            "auth",
            "auto-graph",
            "graph-access",
            "graph-host",
            "graph-maintenance",
            "graph-model",
            "graph-schema",
            "graph-store",
            "gremlin",
            "gremlin-codec",
            "gremlin-plan",
            "merge-locks",
            "query-exec",
            "query-plan",
            "query-value",
            "traces",
        ],
    ),
    (
        "cypher-commands",
        &[
            "auth",
            "cypher-exec",
            "cypher-stored",
            "cypher-value",
            "graph-access",
            "graph-host",
            "graph-model",
            "graph-schema",
            "graph-store",
        ],
    ),
    ("graph-view", &["auth", "graph-access", "graph-host", "graph-model", "graph-schema", "graph-store", "kv"]),
    ("graph-limits", &["graph-host", "graph-store", "key-codec", "serving"]),
    ("rest-users", &["auth", "graph-model"]),
    ("rest-metrics", &["graph-host", "serving"]),
    ("request-log", &["http-server"]),
    ("rest-query", &["graph-model", "http-server", "openapi-document", "rest-errors", "serving", "traversal"]),
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
    ("serving", &["audit", "kv", "threads", "traces"]),
    ("tls", &[]),
    ("bolt-codec", &["cypher-value"]),
    (
        "cypher-session",
        &[
            "auth",
            "cypher-commands",
            "cypher-exec",
            "cypher-statistics",
            "cypher-value",
            "graph-access",
            "graph-analysis",
            "graph-host",
            "graph-model",
            "graph-store",
            "graph-view",
            "graph-maintenance",
            "merge-locks",
            "query-service",
            "rest-json",
            "serving",
            "threads",
            "traces",
        ],
    ),
    ("bolt-server", &["audit", "auth", "bolt-codec", "cypher-session", "cypher-value", "serving", "tls", "traces"]),
    ("http-server", &["serving", "tls", "traces"]),
    (
        "explorer-api",
        &[
            "api-client",
            "audit",
            "auth",
            "graph-host",
            "graph-store",
            "gremlin",
            "http-login",
            "http-server",
            "key-codec",
            "kv",
            "load-test",
            "openapi-document",
            "query-service",
            "rest-errors",
            "serving",
            "threads",
        ],
    ),
    ("http-login", &["auth", "http-server"]),
    ("web-ui", &["http-server"]),
    ("query-api", &["audit", "auth", "cypher-session", "cypher-value", "http-login", "http-server", "serving"]),
    (
        "gremlin-server",
        &[
            "audit",
            "auth",
            "graph-model",
            "gremlin",
            "gremlin-codec",
            "http-login",
            "http-server",
            "query-service",
            "query-value",
            "serving",
            "traces",
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
            "graph-limits",
            "rest-json",
            "serving",
            "http-login",
            "http-server",
            "openapi-document",
            "profiling",
            "rest-description",
            "rest-errors",
            "rest-metrics",
            "request-log",
            "rest-query",
            "rest-users",
            "graph-view",
            "traces",
            "traversal",
        ],
    ),
    ("hugegraph-files", &["graph-model", "kv"]),
    ("sorted-runs", &["key-codec", "kv"]),
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
            "sorted-runs",
        ],
    ),
    (
        "migrate",
        &[
            "api-client",
            "auth",
            "bulk-load",
            "graph-access",
            "graph-host",
            "graph-maintenance",
            "graph-model",
            "graph-schema",
            "graph-store",
            "hugegraph-files",
            "key-codec",
            "rest-json",
        ],
    ),
    ("load-test", &["api-client", "threads"]),
    (
        "bench-cli",
        &[
            "api-client",
            "client-arguments",
            "graph-gen",
            "kv",
            "load-test",
            "property-bench",
            "property-store",
            "serving",
            "threads",
        ],
    ),
    (
        "hot-paths",
        &[
            "adjacency",
            "graph-access",
            "graph-host",
            "graph-model",
            "graph-schema",
            "graph-store",
            "key-codec",
            "kv",
            "kv-rocksdb",
            "rest-json",
            "traversal",
        ],
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
            "explorer-api",
            "web-ui",
            "auth",
            "gremlin-server",
            "query-service",
            "bench-cli",
            "client-arguments",
            "graph-access",
            "graph-model",
            "graph-schema",
            "graph-store",
            "graph-maintenance",
            "graph-host",
            "key-codec",
            "kv",
            "kv-cassandra",
            "kv-rocksdb",
            "kv-tikv",
            "graph-limits",
            "http-server",
            "oidc",
            "rest-api",
            "serving",
            "api-client",
            "hugegraph-files",
            "bulk-load",
            "migrate",
            "graph-gen",
            "threads",
            "tls",
            "traces",
            "traversal",
        ],
    ),
];

/// External crates that bring HTTP types, and the crates that may use them: one speaks HTTP as a server and one answers
/// over it, one is a client, one asks an issuer of tokens for its keys, one sends traces, and the load tester without
/// anything in between that would cost time.
const HTTP: [&str; 7] = ["axum", "http", "http-body-util", "hyper", "hyper-util", "reqwest", "tower"];
const HTTP_USERS: [&str; 13] = [
    "http-login",
    "http-server",
    "request-log",
    "rest-api",
    "rest-errors",
    "gremlin-server",
    "query-api",
    "explorer-api",
    "web-ui",
    "api-client",
    "oidc",
    "traces",
    "load-test",
];

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
