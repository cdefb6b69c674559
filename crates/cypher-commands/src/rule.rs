//! Indexes and constraints as Cypher knows them, and the index labels they are stored as.

use std::hash::BuildHasher as _;

use graph_model::{Cardinality, DataType};
use graph_schema::{Catalogue, IndexLabel, IndexType, NewIndexLabel, UserData};
use rustc_hash::FxBuildHasher;

/// The user data of an index label that says which kind of Cypher's it is: `"TEXT"`.
pub(crate) use cypher_stored::{INDEX_KIND, INDEX_OWNER};

/// What an index is for, or that it belongs to a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Range,
    Text,
    Fulltext,
    /// A uniqueness constraint.
    Unique,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Range => "RANGE",
            Self::Text => "TEXT",
            Self::Fulltext => "FULLTEXT",
            Self::Unique => "UNIQUENESS",
        }
    }
}

/// An index or a uniqueness constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) on_vertices: bool,
    pub(crate) label: String,
    pub(crate) keys: Vec<String>,
}

impl Rule {
    /// A rule; without a name it gets one that is made of its definition, so that it is the same each time.
    pub(crate) fn new(name: Option<&str>, kind: Kind, on_vertices: bool, label: String, keys: Vec<String>) -> Self {
        let name = match name {
            Some(name) => name.to_owned(),
            None => {
                let hash = FxBuildHasher.hash_one((kind.name(), on_vertices, &label, &keys));
                let what = if kind == Kind::Unique { "constraint" } else { "index" };
                format!("{what}_{:08x}", hash >> 32)
            }
        };
        Self { name, kind, on_vertices, label, keys }
    }

    pub(crate) fn is_constraint(&self) -> bool {
        self.kind == Kind::Unique
    }

    /// Whether both are the same but for their names.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.kind == other.kind && self.is_over_the_same(other)
    }

    pub(crate) fn is_over_the_same(&self, other: &Self) -> bool {
        (self.on_vertices, &self.label, &self.keys) == (other.on_vertices, &other.label, &other.keys)
    }

    /// As messages of Neo4j have it: `(:Person {name})`.
    pub(crate) fn schema(&self) -> String {
        let keys = self.keys.join(", ");
        if self.on_vertices {
            format!("(:{} {{{keys}}})", self.label)
        } else {
            format!("()-[:{} {{{keys}}}]-()", self.label)
        }
    }

    /// As a command has it: `RANGE INDEX name FOR (e:Person) ON (e.name)`.
    pub(crate) fn command(&self) -> String {
        let element =
            if self.on_vertices { format!("(e:{})", self.label) } else { format!("()-[e:{}]-()", self.label) };
        let keys = self.keys.iter().map(|key| format!("e.{key}")).collect::<Vec<_>>().join(", ");
        match self.kind {
            Kind::Unique => format!("CONSTRAINT {} FOR {element} REQUIRE ({keys}) IS UNIQUE", self.name),
            kind => format!("{} INDEX {} FOR {element} ON ({keys})", kind.name(), self.name),
        }
    }

    /// The rule that an index label stands for; none where it is a part of another one or on its way out.
    pub(crate) fn of(catalogue: &Catalogue, index: &IndexLabel) -> Option<Self> {
        if index.status.is_being_deleted() || index.user_data.get(INDEX_OWNER).is_some() {
            return None;
        }
        let label = if index.on_vertices {
            catalogue.vertex_label(index.base)?.name.clone()
        } else {
            catalogue.edge_label(index.base)?.name.clone()
        };
        let keys = index.fields.iter().filter_map(|key| catalogue.property_key(*key)).map(|key| key.name.clone());
        let kind = match index.index_type {
            IndexType::Unique => Kind::Unique,
            IndexType::Search => Kind::Fulltext,
            _ if index.user_data.get(INDEX_KIND) == Some("\"TEXT\"") => Kind::Text,
            _ => Kind::Range,
        };
        Some(Self { name: index.name.clone(), kind, on_vertices: index.on_vertices, label, keys: keys.collect() })
    }

    /// All of a graph.
    pub(crate) fn all(catalogue: &Catalogue) -> Vec<Self> {
        catalogue.index_labels().filter_map(|index| Self::of(catalogue, index)).collect()
    }

    /// The index label that stores it.
    pub(crate) fn stored(&self, catalogue: &Catalogue) -> NewIndexLabel {
        let index_type = match self.kind {
            Kind::Unique => IndexType::Unique,
            Kind::Fulltext => IndexType::Search,
            Kind::Range | Kind::Text => self.lookup_type(catalogue),
        };
        let mut user_data = UserData::default();
        if self.kind == Kind::Text {
            user_data.set(INDEX_KIND, "\"TEXT\"".to_owned());
        }
        self.new_label(&self.name, index_type, user_data)
    }

    /// The index label by which elements are found that a constraint is about: one that is unique finds none.
    pub(crate) fn lookup(&self, catalogue: &Catalogue) -> NewIndexLabel {
        let mut user_data = UserData::default();
        user_data.set(INDEX_OWNER, format!("\"{}\"", self.name));
        self.new_label(&format!("{}_lookup", self.name), self.lookup_type(catalogue), user_data)
    }

    fn new_label(&self, name: &str, index_type: IndexType, user_data: UserData) -> NewIndexLabel {
        NewIndexLabel {
            id: None,
            name: name.to_owned(),
            on_vertices: self.on_vertices,
            base: self.label.clone(),
            index_type,
            fields: self.keys.clone(),
            user_data,
            rebuild: true,
            check_exist: true,
        }
    }

    /// RANGE indexes hold one number or date, SECONDARY ones all else; of an auto graph, RANGE and SHARD ones hold
    /// anything in order.
    fn lookup_type(&self, catalogue: &Catalogue) -> IndexType {
        if catalogue.is_auto() {
            return if self.keys.len() == 1 { IndexType::Range } else { IndexType::Shard };
        }
        let [only] = self.keys.as_slice() else { return IndexType::Secondary };
        let is_ordered = catalogue.property_key_named(only).is_some_and(|key| {
            key.cardinality == Cardinality::Single && (key.data_type.is_number() || key.data_type == DataType::Date)
        });
        if is_ordered { IndexType::Range } else { IndexType::Secondary }
    }
}
