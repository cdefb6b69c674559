//! Which procedures stand for commands.

use cypher_exec::{HostedProcedure, Signature, Type};

/// The procedures that [`Commands`](crate::Commands) carries out. Those whose names begin with `~` stand for commands.
#[must_use]
pub fn procedures() -> Vec<HostedProcedure> {
    let procedure = |name: &str, description, arguments: &[(&str, Type, bool)], columns: &[(&str, Type)], is_write| {
        let arguments = arguments.iter().map(|(name, of, optional)| ((*name).to_owned(), of.clone(), *optional));
        let columns = columns.iter().map(|(name, of)| ((*name).to_owned(), of.clone())).collect();
        let signature = Signature { arguments: arguments.collect(), columns, is_write };
        HostedProcedure { name: name.to_owned(), description, signature }
    };
    let (any, text, fact) = (Type::Any, Type::String, Type::Boolean);
    vec![
        procedure(
            "~index.create",
            "CREATE INDEX",
            &[
                ("kind", text.clone(), false),
                ("name", any.clone(), false),
                ("ifNotExists", fact.clone(), false),
                ("isNode", fact.clone(), false),
                ("labels", any.clone(), false),
                ("keys", any.clone(), false),
            ],
            &[],
            true,
        ),
        procedure(
            "~constraint.create",
            "CREATE CONSTRAINT",
            &[
                ("name", any.clone(), false),
                ("ifNotExists", fact.clone(), false),
                ("isNode", fact.clone(), false),
                ("label", text.clone(), false),
                ("keys", any.clone(), false),
                ("requirement", text.clone(), false),
            ],
            &[],
            true,
        ),
        procedure(
            "~schema.drop",
            "DROP INDEX and DROP CONSTRAINT",
            &[("isIndex", fact.clone(), false), ("name", text.clone(), false), ("ifExists", fact.clone(), false)],
            &[],
            true,
        ),
        procedure(
            "~load.csv",
            "LOAD CSV",
            &[("source", any.clone(), false), ("hasHeaders", fact, false), ("separator", any.clone(), false)],
            &[("row", any)],
            false,
        ),
        procedure(
            "db.awaitIndexes",
            "Waits until all indexes are built, at most so many seconds.",
            &[("timeOutSeconds", Type::Integer, true)],
            &[],
            false,
        ),
        procedure(
            "db.awaitIndex",
            "Waits until an index is built, at most so many seconds.",
            &[("indexName", text, false), ("timeOutSeconds", Type::Integer, true)],
            &[],
            false,
        ),
    ]
}
