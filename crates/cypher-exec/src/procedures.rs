//! Procedures: those of the product, and tables that stand for some in tests.

use cypher::{Arity, Callables, Signature, Type};
use cypher_value::{Value, function};

use crate::commands::SHOWN;

/// A procedure whose rows are written down: those whose arguments equal the call's.
#[derive(Clone, Debug)]
pub struct TableProcedure {
    /// Its name.
    pub name: String,
    /// What it takes and gives.
    pub signature: Signature,
    /// Arguments and columns of each row.
    pub rows: Vec<(Vec<Value>, Vec<Value>)>,
}

/// What can be called.
#[derive(Clone, Debug, Default)]
pub struct Procedures {
    /// Procedures beside those of the product.
    pub tables: Vec<TableProcedure>,
    /// The databases that `SHOW DATABASES` shows, the default one first.
    pub databases: Vec<String>,
}

/// A procedure of the product: its name, arguments and columns.
pub(crate) type Known = (&'static str, &'static [(&'static str, Type, bool)], &'static [(&'static str, Type)]);

/// The procedures of the product.
pub(crate) const KNOWN: &[Known] = &[
    ("db.labels", &[], &[("label", Type::String)]),
    ("db.relationshipTypes", &[], &[("relationshipType", Type::String)]),
    ("db.propertyKeys", &[], &[("propertyKey", Type::String)]),
    ("db.ping", &[], &[("success", Type::Boolean)]),
    ("dbms.components", &[], &[("name", Type::String), ("versions", Type::Any), ("edition", Type::String)]),
    ("dbms.procedures", &[], &[("name", Type::String), ("signature", Type::String)]),
    ("dbms.functions", &[], &[("name", Type::String), ("signature", Type::String), ("description", Type::String)]),
    ("apoc.meta.data", &[("config", Type::Map, true)], APOC_META),
    ("apoc.meta.schema", &[("config", Type::Map, true)], &[("value", Type::Map)]),
];

/// The columns of `apoc.meta.data`, as client libraries that look for the schema read them.
const APOC_META: &[(&str, Type)] = &[
    ("label", Type::String),
    ("property", Type::String),
    ("count", Type::Integer),
    ("unique", Type::Boolean),
    ("index", Type::Boolean),
    ("existence", Type::Boolean),
    ("type", Type::String),
    ("array", Type::Boolean),
    ("left", Type::Integer),
    ("right", Type::Integer),
    ("other", Type::Any),
    ("otherLabels", Type::Any),
    ("elementType", Type::String),
];

impl Procedures {
    /// What a procedure takes and gives; none if there is none of the name.
    #[must_use]
    pub fn signature(&self, name: &str) -> Option<Signature> {
        if let Some(table) = self.tables.iter().find(|table| table.name == name) {
            return Some(table.signature.clone());
        }
        if let Some((_, columns)) = SHOWN.iter().find(|(own, _)| *own == name) {
            let columns = columns.iter().map(|(name, of)| ((*name).to_owned(), of.clone())).collect();
            return Some(Signature { arguments: Vec::new(), columns, is_write: false });
        }
        let known = KNOWN.iter().find(|(own, ..)| own.eq_ignore_ascii_case(name));
        known.map(|(_, arguments, columns)| Signature {
            arguments: arguments
                .iter()
                .map(|(name, of, optional)| ((*name).to_owned(), of.clone(), *optional))
                .collect(),
            columns: columns.iter().map(|(name, of)| ((*name).to_owned(), of.clone())).collect(),
            is_write: false,
        })
    }

    /// The names of all procedures.
    pub(crate) fn names(&self) -> Vec<String> {
        let tables = self.tables.iter().map(|table| table.name.clone());
        KNOWN.iter().map(|(name, ..)| (*name).to_owned()).chain(tables).collect()
    }
}

impl Callables for Procedures {
    fn function(&self, name: &str) -> Option<Arity> {
        function::find(name).map(|function| Arity {
            min: function.required,
            max: if function.is_variadic { usize::MAX } else { function.arguments.len() },
        })
    }

    fn procedure(&self, name: &str) -> Option<Signature> {
        self.signature(name)
    }
}
