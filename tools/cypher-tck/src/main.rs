//! Carries out Cypher without a server, for the openCypher TCK: requests come as lines of JSON on the standard input,
//! each is answered with a line.
//!
//! `{"graph": "auto"}` starts on an empty graph in memory, with no procedures but the product's. `{"procedure": ..}`
//! adds one that is a table. `{"query": .., "parameters": ..}` answers `{"columns", "rows"}` or `{"error"}`, with code,
//! detail, text, and whether it was found before the query ran. Values are JSON where they can be ([`mod@json`]).
//!
//! It is the suite's way to the procedures that its scenarios bring along, which no server takes.

mod json;
mod session;

use std::io::{BufRead as _, Write as _};

use anyhow::{Context as _, Result};
use serde_json::{Value as Json, json};

use crate::session::Session;

fn main() -> Result<()> {
    let mut session = Session::new("auto")?;
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: Json = serde_json::from_str(&line?).context("a request must be a line of JSON")?;
        let answer = if let Some(mode) = request.get("graph").and_then(Json::as_str) {
            session = Session::new(mode)?;
            json!({})
        } else if let Some(procedure) = request.get("procedure") {
            session.add(serde_json::from_value(procedure.clone()).context("a procedure has other fields")?);
            json!({})
        } else {
            let query =
                request.get("query").and_then(Json::as_str).context("a request has none of the known fields")?;
            match session.run(query, json::map(request.get("parameters").unwrap_or(&Json::Null))) {
                Ok((columns, rows)) => {
                    let rows: Vec<Json> = rows.iter().map(|row| row.iter().map(json::of).collect()).collect();
                    let columns: Vec<&str> = columns.iter().map(|name| name.as_str()).collect();
                    json!({"columns": columns, "rows": rows})
                }
                Err(failure) => json!({"error": {
                    "code": failure.error.code(),
                    "detail": failure.error.detail.name(),
                    "message": failure.error.message,
                    "phase": if failure.is_early { "compile time" } else { "runtime" },
                }}),
            }
        };
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}
