//! What SHOW shows.

use cypher_value::{Value, function};

use crate::eval::Cx;

fn text(text: &str) -> Value {
    Value::String(text.into())
}

/// The rows of what is shown.
pub(crate) fn rows(cx: &Cx<'_, '_>, name: &str) -> Vec<Vec<Value>> {
    match name {
        "~show.indexes" => cypher_stored::shown_indexes(&cx.store.catalogue()),
        "~show.constraints" => cypher_stored::shown_constraints(&cx.store.catalogue()),
        "~show.databases" => {
            let names = cx.host.map(|host| host.databases()).unwrap_or_default();
            let all = names.iter().enumerate().map(|(at, name)| {
                vec![
                    text(name),
                    text("standard"),
                    Value::list(Vec::new()),
                    text("read-write"),
                    Value::Null,
                    text("primary"),
                    Value::Boolean(true),
                    text("online"),
                    text("online"),
                    text(""),
                    Value::Boolean(at == 0),
                    Value::Boolean(at == 0),
                    Value::list(Vec::new()),
                ]
            });
            all.collect()
        }
        "~show.procedures" => {
            let all = cx.procedures.names();
            all.map(|(name, about)| vec![text(name), text(about), text("READ"), Value::Boolean(false)]).collect()
        }
        _ => {
            let all = function::all().map(|own| {
                let (category, about) = (text(own.category), text(own.description));
                vec![text(own.name), category, about, text(&own.signature()), Value::Boolean(true)]
            });
            all.collect()
        }
    }
}
