//! What clients send, before it is checked: names instead of numbers, literals instead of values.

use std::borrow::Cow;

use graph_model::{Cardinality, DataType, IdStrategy};

use crate::definition::{AggregateType, EdgeLabelKind, Frequency, IndexType, UserData, WriteType};

/// A value as a client wrote it; its type is only that of the notation. Borrows from the request where it can.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal<'a> {
    /// Nothing.
    Null,
    /// True or false.
    Boolean(bool),
    /// A whole number that fits 64 bits.
    Integer(i64),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(Cow<'a, str>),
    /// A list.
    Array(Vec<Literal<'a>>),
    /// Anything else, as compact JSON text.
    Object(Cow<'a, str>),
    /// Values that say their own types, encoded (crate `tagged-value`): only of keys of an auto graph.
    Tagged(Cow<'a, [u8]>),
}

impl Literal<'_> {
    /// What the notation is called in an error.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean(_) => "a boolean",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a fractional number",
            Self::Text(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
            Self::Tagged(_) => "a value with a type of its own",
        }
    }

    /// With a copy of what it borrows.
    #[must_use]
    pub fn into_owned(self) -> Literal<'static> {
        match self {
            Self::Null => Literal::Null,
            Self::Boolean(fact) => Literal::Boolean(fact),
            Self::Integer(number) => Literal::Integer(number),
            Self::Float(number) => Literal::Float(number),
            Self::Text(text) => Literal::Text(text.into_owned().into()),
            Self::Array(items) => Literal::Array(items.into_iter().map(Self::into_owned).collect()),
            Self::Object(text) => Literal::Object(text.into_owned().into()),
            Self::Tagged(bytes) => Literal::Tagged(bytes.into_owned().into()),
        }
    }
}

/// A vertex to insert.
#[derive(Clone, Debug, PartialEq)]
pub struct NewVertex<'a> {
    /// Name of its label; `None` where the client sent none.
    pub label: Option<Cow<'a, str>>,
    /// Its id, where the client sent one (null counts as none).
    pub id: Option<Literal<'a>>,
    /// Its properties by name.
    pub properties: Vec<(Cow<'a, str>, Literal<'a>)>,
}

/// An edge to insert.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEdge<'a> {
    /// Name of its label.
    pub label: Option<Cow<'a, str>>,
    /// Id of the vertex it starts at.
    pub source: Option<Literal<'a>>,
    /// Label of that vertex.
    pub source_label: Option<Cow<'a, str>>,
    /// Id of the vertex it ends at.
    pub target: Option<Literal<'a>>,
    /// Label of that vertex.
    pub target_label: Option<Cow<'a, str>>,
    /// Its properties by name.
    pub properties: Vec<(Cow<'a, str>, Literal<'a>)>,
}

/// An edge of a batch update.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeRecord<'a> {
    /// Its id, where the client sent one: it must be the one that its label, ends and sort keys make.
    pub id: Option<Literal<'a>>,
    /// The edge; properties that the stored edge has may be left out.
    pub edge: NewEdge<'a>,
}

/// Names that are about to be written with. A name may be given twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declaration<'a> {
    /// Labels of vertices.
    pub vertex_labels: &'a [&'a str],
    /// Labels of edges.
    pub edge_labels: &'a [&'a str],
    /// Keys of properties, those of properties of properties included.
    pub property_keys: &'a [&'a str],
}

/// A property key to create.
#[derive(Clone, Debug, PartialEq)]
pub struct NewPropertyKey {
    /// Number to use; only in restoring mode. 0 and `None`: none.
    pub id: Option<i64>,
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
    /// Names of properties of the property: must be empty.
    pub properties: Vec<String>,
    /// Free data.
    pub user_data: UserData,
    /// The default value in the user data, as a literal.
    pub default_value: Option<Literal<'static>>,
    /// Whether an existing one of this name is an error (true) or is returned if it is the same (false).
    pub check_exist: bool,
}

impl NewPropertyKey {
    /// A property key with HugeGraph's defaults for everything else; that one of the name exists is an error.
    #[must_use]
    pub fn new(name: &str, data_type: DataType, cardinality: Cardinality) -> Self {
        Self {
            id: None,
            name: name.to_owned(),
            data_type,
            cardinality,
            aggregate_type: AggregateType::None,
            write_type: WriteType::Oltp,
            properties: Vec::new(),
            user_data: UserData::default(),
            default_value: None,
            check_exist: true,
        }
    }
}

/// A change of a property key: user data only.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdatePropertyKey {
    /// Its name.
    pub name: String,
    /// Given by the client: only TEXT (the default) may be.
    pub data_type: DataType,
    /// Given by the client: only SINGLE (the default) may be.
    pub cardinality: Cardinality,
    /// Entries to set or to remove.
    pub user_data: UserData,
    /// The default value in the user data, as a literal; not looked at where entries are removed.
    pub default_value: Option<Literal<'static>>,
}

/// A vertex label to create.
#[derive(Clone, Debug, PartialEq)]
pub struct NewVertexLabel {
    /// Number to use; only in restoring mode. 0 and `None`: none.
    pub id: Option<i64>,
    /// Its name.
    pub name: String,
    /// How its vertices get ids; `None`: primary key where primary keys are given, else automatic.
    pub id_strategy: Option<IdStrategy>,
    /// Names of its properties.
    pub properties: Vec<String>,
    /// Names of the property keys the id is made of.
    pub primary_keys: Vec<String>,
    /// Names of properties a vertex may lack.
    pub nullable_keys: Vec<String>,
    /// Lifetime in milliseconds; 0: forever; negative: an error.
    pub ttl_ms: i64,
    /// Name of the date property the lifetime starts at.
    pub ttl_start_time: Option<String>,
    /// Whether its vertices can be listed by label; `None`: yes.
    pub enable_label_index: Option<bool>,
    /// Free data.
    pub user_data: UserData,
    /// Whether an existing one of this name is an error (true) or is returned if it is the same (false).
    pub check_exist: bool,
}

impl NewVertexLabel {
    /// A vertex label without properties, with HugeGraph's defaults for everything else; that one of the name exists is
    /// an error.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            id: None,
            name: name.to_owned(),
            id_strategy: None,
            properties: Vec::new(),
            primary_keys: Vec::new(),
            nullable_keys: Vec::new(),
            ttl_ms: 0,
            ttl_start_time: None,
            enable_label_index: None,
            user_data: UserData::default(),
            check_exist: true,
        }
    }
}

/// A change of a vertex label (append or eliminate). Fields that must not be given are here so that the error can name
/// them.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateVertexLabel {
    /// Its name.
    pub name: String,
    /// Must be `None`.
    pub id_strategy: Option<IdStrategy>,
    /// Must be empty.
    pub primary_keys: Vec<String>,
    /// Names of properties to add.
    pub properties: Vec<String>,
    /// Names of properties a vertex may lack from now on.
    pub nullable_keys: Vec<String>,
    /// New lifetime in milliseconds; 0: not given.
    pub ttl_ms: i64,
    /// Name of the date property the lifetime starts at.
    pub ttl_start_time: Option<String>,
    /// Must be `None`.
    pub enable_label_index: Option<bool>,
    /// Entries to set or to remove.
    pub user_data: UserData,
}

/// The kind of an edge label as a client names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeLabelKindName {
    /// `NORMAL`
    Normal,
    /// `PARENT`
    Parent,
    /// `SUB`
    Sub,
}

impl From<EdgeLabelKind> for EdgeLabelKindName {
    fn from(kind: EdgeLabelKind) -> Self {
        match kind {
            EdgeLabelKind::Normal => Self::Normal,
            EdgeLabelKind::Parent => Self::Parent,
            EdgeLabelKind::Sub { .. } => Self::Sub,
        }
    }
}

/// An edge label to create.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEdgeLabel {
    /// Number to use; only in restoring mode. 0 and `None`: none.
    pub id: Option<i64>,
    /// Its name.
    pub name: String,
    /// Whether it stands alone, is a parent or belongs to one.
    pub kind: EdgeLabelKindName,
    /// Name of the parent of a sub label.
    pub parent_label: Option<String>,
    /// Name of the vertex label at its source.
    pub source_label: Option<String>,
    /// Name of the vertex label at its target.
    pub target_label: Option<String>,
    /// Pairs of vertex label names: the other way to give source and target.
    pub links: Vec<(String, String)>,
    /// Whether parallel edges are possible; `None`: single.
    pub frequency: Option<Frequency>,
    /// Names of its properties.
    pub properties: Vec<String>,
    /// Names of the property keys that tell parallel edges apart.
    pub sort_keys: Vec<String>,
    /// Names of properties an edge may lack.
    pub nullable_keys: Vec<String>,
    /// Lifetime in milliseconds; 0: forever; negative: an error.
    pub ttl_ms: i64,
    /// Name of the date property the lifetime starts at.
    pub ttl_start_time: Option<String>,
    /// Whether its edges can be listed by label; `None`: yes.
    pub enable_label_index: Option<bool>,
    /// Free data.
    pub user_data: UserData,
    /// Whether an existing one of this name is an error (true) or is returned if it is the same (false).
    pub check_exist: bool,
}

impl NewEdgeLabel {
    /// An edge label without properties, with HugeGraph's defaults for everything else; that one of the name exists is
    /// an error.
    #[must_use]
    pub fn new(name: &str, source_label: &str, target_label: &str) -> Self {
        Self {
            id: None,
            name: name.to_owned(),
            kind: EdgeLabelKindName::Normal,
            parent_label: None,
            source_label: Some(source_label.to_owned()),
            target_label: Some(target_label.to_owned()),
            links: Vec::new(),
            frequency: None,
            properties: Vec::new(),
            sort_keys: Vec::new(),
            nullable_keys: Vec::new(),
            ttl_ms: 0,
            ttl_start_time: None,
            enable_label_index: None,
            user_data: UserData::default(),
            check_exist: true,
        }
    }
}

/// A change of an edge label (append or eliminate). Fields that must not be given are here so that the error can name
/// them.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateEdgeLabel {
    /// Its name.
    pub name: String,
    /// Must be `None`.
    pub source_label: Option<String>,
    /// Must be `None`.
    pub target_label: Option<String>,
    /// Must be empty.
    pub links: Vec<(String, String)>,
    /// Must be `None`.
    pub frequency: Option<Frequency>,
    /// Must be empty.
    pub sort_keys: Vec<String>,
    /// Names of properties to add.
    pub properties: Vec<String>,
    /// Names of properties an edge may lack from now on.
    pub nullable_keys: Vec<String>,
    /// New lifetime in milliseconds; 0: not given.
    pub ttl_ms: i64,
    /// Name of the date property the lifetime starts at.
    pub ttl_start_time: Option<String>,
    /// Must be `None`.
    pub enable_label_index: Option<bool>,
    /// Entries to set or to remove.
    pub user_data: UserData,
}

/// An index label to create.
#[derive(Clone, Debug, PartialEq)]
pub struct NewIndexLabel {
    /// Number to use; only in restoring mode. 0 and `None`: none.
    pub id: Option<i64>,
    /// Its name.
    pub name: String,
    /// True: over a vertex label; false: over an edge label.
    pub on_vertices: bool,
    /// Name of the label it is over.
    pub base: String,
    /// What it is for.
    pub index_type: IndexType,
    /// Names of the indexed properties, in order.
    pub fields: Vec<String>,
    /// Free data.
    pub user_data: UserData,
    /// Whether elements that exist already are indexed.
    pub rebuild: bool,
    /// Whether an existing one of this name is an error (true) or is returned if it is the same (false).
    pub check_exist: bool,
}

impl NewIndexLabel {
    /// An index label over a vertex label that is to be built; that one of the name exists is an error.
    #[must_use]
    pub fn on_vertices(name: &str, base: &str, index_type: IndexType, fields: &[&str]) -> Self {
        Self {
            id: None,
            name: name.to_owned(),
            on_vertices: true,
            base: base.to_owned(),
            index_type,
            fields: fields.iter().map(|&field| field.to_owned()).collect(),
            user_data: UserData::default(),
            rebuild: true,
            check_exist: true,
        }
    }

    /// The same over an edge label.
    #[must_use]
    pub fn on_edges(name: &str, base: &str, index_type: IndexType, fields: &[&str]) -> Self {
        Self { on_vertices: false, ..Self::on_vertices(name, base, index_type, fields) }
    }
}

/// A change of an index label (append or eliminate): user data only. Fields that must not be given are here so that the
/// error can name them.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateIndexLabel {
    /// Its name.
    pub name: String,
    /// Must be `None`.
    pub on_vertices: Option<bool>,
    /// Must be `None`.
    pub base: Option<String>,
    /// Must be `None`.
    pub index_type: Option<IndexType>,
    /// Must be empty.
    pub fields: Vec<String>,
    /// Entries to set or to remove.
    pub user_data: UserData,
}

/// Whether a change adds to an element or takes away from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alter {
    /// Add.
    Append,
    /// Take away.
    Eliminate,
}
