//! Procedures: those of the product, those that somebody else carries out, and tables that stand for some in tests.

use cypher::{Arity, Callables, Signature, Type};
use cypher_plan::commands::SHOWN;
use cypher_value::{Value, function};

use crate::Result;

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

/// Rows of a procedure: values in the order of its columns. After an error none follows.
pub type Rows = Box<dyn Iterator<Item = Result<Vec<Value>>>>;

/// A procedure that the executor knows of, and a [`ProcedureHost`] carries out.
#[derive(Clone, Debug)]
pub struct HostedProcedure {
    /// Its name.
    pub name: String,
    /// What it does, in a sentence.
    pub description: &'static str,
    /// What it takes and gives.
    pub signature: Signature,
}

/// Who carries out procedures that need more than the graph of a query: it knows of deadlines, memory and rights.
pub trait ProcedureHost {
    /// The rows of a call of a procedure, by its name in [`Procedures::hosted`]. They are computed as they are taken,
    /// or were before; dropping them gives back what they hold.
    ///
    /// # Errors
    /// What the call fails with.
    fn call(&self, name: &str, arguments: &[Value]) -> Result<Rows>;

    /// The databases that `SHOW DATABASES` shows, the default one first.
    fn databases(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What can be called.
#[derive(Clone, Debug, Default)]
pub struct Procedures {
    /// Procedures that the host of an execution carries out.
    pub hosted: Vec<HostedProcedure>,
    /// Procedures beside those of the product.
    pub tables: Vec<TableProcedure>,
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
    ("apoc.schema.nodes", &[("config", Type::Map, true)], APOC_SCHEMA),
    // Those below are clauses once a query is read (`cypher::inline`).
    ("apoc.merge.node", &[LABELS, IDENTITY, ("onCreate", Type::Map, true), ON_MATCH], &[("node", Type::Node)]),
    (
        "apoc.merge.relationship",
        &[("start", Type::Node, false), KIND, IDENTITY, ("onCreate", Type::Map, false), END, ON_MATCH],
        &[("rel", Type::Relationship)],
    ),
    ("apoc.create.addLabels", &[("nodes", Type::Any, false), LABELS], &[("node", Type::Node)]),
    ("db.create.setNodeVectorProperty", &[("node", Type::Node, false), KEY, VECTOR], &[]),
    ("db.create.setRelationshipVectorProperty", &[("relationship", Type::Relationship, false), KEY, VECTOR], &[]),
];

const LABELS: (&str, Type, bool) = ("labels", Type::Any, false);
const IDENTITY: (&str, Type, bool) = ("identity", Type::Map, false);
const ON_MATCH: (&str, Type, bool) = ("onMatch", Type::Map, true);
const KIND: (&str, Type, bool) = ("type", Type::String, false);
const END: (&str, Type, bool) = ("end", Type::Node, false);
const KEY: (&str, Type, bool) = ("key", Type::String, false);
const VECTOR: (&str, Type, bool) = ("vector", Type::Any, false);

/// The columns of `apoc.schema.nodes`.
const APOC_SCHEMA: &[(&str, Type)] = &[
    ("name", Type::String),
    ("label", Type::String),
    ("properties", Type::Any),
    ("status", Type::String),
    ("type", Type::String),
    ("size", Type::Integer),
    ("valuesSelectivity", Type::Float),
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
        if let Some(hosted) = self.hosted(name) {
            return Some(hosted.signature.clone());
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

    /// The one of a name that a host carries out.
    pub(crate) fn hosted(&self, name: &str) -> Option<&HostedProcedure> {
        self.hosted.iter().find(|hosted| hosted.name.eq_ignore_ascii_case(name))
    }

    /// Those of a host that stand for no command.
    fn callable(&self) -> impl Iterator<Item = &HostedProcedure> {
        self.hosted.iter().filter(|hosted| !hosted.name.starts_with('~'))
    }

    /// The names of all procedures, and what they do where that is known.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&str, &str)> {
        let known = KNOWN.iter().map(|(name, ..)| (*name, ""));
        let hosted = self.callable().map(|hosted| (hosted.name.as_str(), hosted.description));
        known.chain(hosted).chain(self.tables.iter().map(|table| (table.name.as_str(), "")))
    }

    /// The names of the procedures of the product, with their arguments and columns as text.
    pub(crate) fn signatures(&self) -> impl Iterator<Item = (&str, String)> {
        let known = KNOWN.iter().map(|(name, _, columns)| {
            let columns: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
            (*name, format!("{name}() :: ({})", columns.join(", ")))
        });
        let hosted = self.callable().map(|HostedProcedure { name, signature, .. }| {
            let arguments: Vec<&str> = signature.arguments.iter().map(|(name, ..)| name.as_str()).collect();
            let columns: Vec<&str> = signature.columns.iter().map(|(name, _)| name.as_str()).collect();
            (name.as_str(), format!("{name}({}) :: ({})", arguments.join(", "), columns.join(", ")))
        });
        known.chain(hosted)
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
