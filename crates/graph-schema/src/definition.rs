//! The definitions a catalogue holds: plain data, numbers resolved.

use graph_model::{Cardinality, DataType, IdStrategy, LabelId, PropertyKeyId, Value};
use text_analysis::Analyzer;

/// Who makes the schema of a graph; set when the graph is created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SchemaMode {
    /// Clients, before they write elements: HugeGraph's way.
    #[default]
    Strict,
    /// The first write with a label or a property key.
    Auto,
}

impl SchemaMode {
    /// The name of the setting that chooses it, in the configuration of a graph.
    pub const SETTING: &'static str = "schema.mode";

    /// The mode of a value of [`Self::SETTING`].
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "strict" => Some(Self::Strict),
            "auto" => Some(Self::Auto),
            _ => None,
        }
    }

    /// The value of [`Self::SETTING`].
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Auto => "auto",
        }
    }
}

/// Where a schema element is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// In use.
    Created,
    /// Being built.
    Creating,
    /// Being built again.
    Rebuilding,
    /// Being deleted together with its data.
    Deleting,
    /// Its deletion failed.
    Undeleted,
    /// Its building failed.
    Invalid,
}

impl Status {
    /// Whether its deletion has begun: it takes no new elements and nothing new may refer to it.
    #[must_use]
    pub fn is_being_deleted(self) -> bool {
        matches!(self, Self::Deleting | Self::Undeleted)
    }
}

/// How values written to one property combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AggregateType {
    /// The new value replaces the old one.
    None,
    /// The larger stays.
    Max,
    /// The smaller stays.
    Min,
    /// They are added.
    Sum,
    /// The first stays.
    Old,
    /// They are united.
    Set,
    /// They are appended.
    List,
}

/// What writes a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteType {
    /// Clients, with the element.
    Oltp,
    /// Analytical jobs; not supported for writing.
    OlapCommon,
    /// Analytical jobs, with a secondary index; not supported for writing.
    OlapSecondary,
    /// Analytical jobs, with a range index; not supported for writing.
    OlapRange,
}

/// Free data of a schema element: names and JSON texts, in the order of first appearance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserData(pub Vec<(String, String)>);

impl UserData {
    /// The JSON text under a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, json)| json.as_str())
    }

    /// Sets the JSON text under a name.
    pub fn set(&mut self, name: &str, json: String) {
        match self.0.iter_mut().find(|(key, _)| key == name) {
            Some(slot) => slot.1 = json,
            None => self.0.push((name.to_owned(), json)),
        }
    }

    /// Removes a name.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(key, _)| key != name);
    }
}

/// The name under which the server notes when a schema element was created.
pub const CREATE_TIME: &str = "~create_time";

/// The name under which a property key's user data holds its default value.
pub const DEFAULT_VALUE: &str = "~default_value";

/// A property key: the name and type of a property, shared by all labels of a graph.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyKey {
    /// Its number.
    pub id: PropertyKeyId,
    /// Its name.
    pub name: String,
    /// Type of its values.
    pub data_type: DataType,
    /// How many values.
    pub cardinality: Cardinality,
    /// How written values combine.
    pub aggregate_type: AggregateType,
    /// What writes it: clients or analytical jobs.
    pub write_type: WriteType,
    /// Where it is in its life.
    pub status: Status,
    /// Free data.
    pub user_data: UserData,
    /// The value an element shows when it has none: `~default_value` of the user data, coerced.
    pub default_value: Option<Value>,
}

/// A vertex label: what vertices of it are made of and how they get ids.
#[derive(Clone, Debug, PartialEq)]
pub struct VertexLabel {
    /// Its number.
    pub id: LabelId,
    /// Its name.
    pub name: String,
    /// How its vertices get ids.
    pub id_strategy: IdStrategy,
    /// Property keys the id is made of, in order; empty unless the strategy is primary key.
    pub primary_keys: Vec<PropertyKeyId>,
    /// Properties a vertex may lack, in the order of their numbers.
    pub nullable_keys: Vec<PropertyKeyId>,
    /// All its properties, in the order of their numbers.
    pub properties: Vec<PropertyKeyId>,
    /// Lifetime of its vertices in milliseconds; 0: forever.
    pub ttl_ms: u64,
    /// The date property the lifetime starts at instead of the moment of writing.
    pub ttl_start_time: Option<PropertyKeyId>,
    /// Whether its vertices can be listed by label.
    pub enable_label_index: bool,
    /// Where it is in its life.
    pub status: Status,
    /// Free data.
    pub user_data: UserData,
}

/// Whether parallel edges are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Frequency {
    /// One edge of the label between two vertices.
    Single,
    /// Many, told apart by their sort keys.
    Multiple,
}

/// Edge labels can be grouped under a parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeLabelKind {
    /// Stands alone.
    Normal,
    /// Has no edges of its own; stands for its sub labels in queries.
    Parent,
    /// Belongs to a parent.
    Sub {
        /// The parent's number.
        parent: LabelId,
    },
}

/// An edge label: what its edges connect and are made of.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeLabel {
    /// Its number.
    pub id: LabelId,
    /// Its name.
    pub name: String,
    /// Whether it stands alone, is a parent or belongs to one.
    pub kind: EdgeLabelKind,
    /// Vertex labels at its source and target; `None` for a parent.
    pub link: Option<(LabelId, LabelId)>,
    /// Whether parallel edges are possible.
    pub frequency: Frequency,
    /// Property keys that tell parallel edges apart, in order.
    pub sort_keys: Vec<PropertyKeyId>,
    /// Properties an edge may lack, in the order of their numbers.
    pub nullable_keys: Vec<PropertyKeyId>,
    /// All its properties, in the order of their numbers.
    pub properties: Vec<PropertyKeyId>,
    /// Lifetime of its edges in milliseconds; 0: forever.
    pub ttl_ms: u64,
    /// The date property the lifetime starts at instead of the moment of writing.
    pub ttl_start_time: Option<PropertyKeyId>,
    /// Whether its edges can be listed by label.
    pub enable_label_index: bool,
    /// Where it is in its life.
    pub status: Status,
    /// Free data.
    pub user_data: UserData,
}

impl EdgeLabel {
    /// The number an edge id names first: the parent's for a sub label, else its own.
    #[must_use]
    pub fn parent_or_self(&self) -> LabelId {
        match self.kind {
            EdgeLabelKind::Sub { parent } => parent,
            EdgeLabelKind::Normal | EdgeLabelKind::Parent => self.id,
        }
    }
}

/// What an index label is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexType {
    /// Equality.
    Secondary,
    /// Comparison.
    Range,
    /// Words of a text.
    Search,
    /// Equality, then comparison.
    Shard,
    /// No two elements with the same values.
    Unique,
}

/// What stands between the names of a vertex label of an auto graph that is a set of labels. Drivers of Neo4j for
/// TinkerPop show several labels like this.
pub const LABEL_JOINT: &str = "::";

/// An index label: which elements are found by which of their properties.
///
/// An element has entries where it has the first field (of a unique index: any field). A LIST or SET is the only field
/// of its index; a secondary index has an entry for each of its items.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexLabel {
    /// Its number.
    pub id: LabelId,
    /// Its name.
    pub name: String,
    /// True: over a vertex label; false: over an edge label.
    pub on_vertices: bool,
    /// The label it is over.
    pub base: LabelId,
    /// What it is for.
    pub index_type: IndexType,
    /// The indexed properties, in order.
    pub fields: Vec<PropertyKeyId>,
    /// Whether elements written before it have entries too: false until it is built.
    pub complete: bool,
    /// How texts become tokens, where it is a search index. Kept with the definition: entries must be found again after
    /// the setting changed.
    pub analyzer: Analyzer,
    /// Where it is in its life.
    pub status: Status,
    /// Free data.
    pub user_data: UserData,
}

impl IndexLabel {
    /// Whether writers keep its entries. Queries use it only when it is [`Status::Created`].
    #[must_use]
    pub fn is_kept(&self) -> bool {
        matches!(self.status, Status::Created | Status::Creating | Status::Rebuilding)
    }
}
