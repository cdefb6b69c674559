//! The mapping file as data: hugegraph-loader's version 2 form with its defaults. `mapping_check.rs` decides what is
//! accepted and what is rejected.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

/// A whole mapping file.
#[derive(Clone, Debug, Deserialize)]
pub struct Mapping {
    /// Version of the form; `2.0`.
    pub version: String,
    /// The sources and what to make of each.
    pub structs: Vec<Struct>,
}

/// One source and the vertices and edges made from its rows.
#[derive(Clone, Debug, Deserialize)]
pub struct Struct {
    /// Name of the struct; also names its file of rejected rows.
    #[serde(deserialize_with = "text_or_number")]
    pub id: String,
    /// Leave this struct out.
    #[serde(default)]
    pub skip: bool,
    /// Where the rows come from.
    pub input: Input,
    /// Vertices to make from each row.
    #[serde(default)]
    pub vertices: Vec<VertexMapping>,
    /// Edges to make from each row.
    #[serde(default)]
    pub edges: Vec<EdgeMapping>,
}

/// How a row is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Default)]
pub enum Format {
    /// Comma-separated values with quotes, as in RFC 4180.
    #[default]
    #[serde(rename = "CSV", alias = "csv")]
    Csv,
    /// A line cut at every delimiter; no quotes.
    #[serde(rename = "TEXT", alias = "text")]
    Text,
    /// One JSON object per line.
    #[serde(rename = "JSON", alias = "json")]
    Json,
}

/// A file or a folder of files.
#[derive(Clone, Debug, Deserialize)]
pub struct Input {
    /// Kind of source; only `FILE` is supported.
    #[serde(rename = "type", default = "file_type")]
    pub kind: String,
    /// The file or folder.
    pub path: String,
    /// Which files of a folder to take.
    #[serde(default, alias = "filter")]
    pub file_filter: FileFilter,
    /// How rows are written.
    #[serde(default)]
    pub format: Format,
    /// Between two columns; the format's own if absent.
    #[serde(default)]
    pub delimiter: Option<String>,
    /// How dates are written.
    #[serde(default = "default_date_format")]
    pub date_format: String,
    /// Other ways dates are written, tried in order.
    #[serde(default)]
    pub extra_date_formats: Vec<String>,
    /// Zone of dates that name none.
    #[serde(default = "default_time_zone")]
    pub time_zone: String,
    /// Lines to leave out.
    #[serde(default)]
    pub skipped_line: SkippedLine,
    /// How files are compressed.
    #[serde(default)]
    pub compression: Option<String>,
    /// Column names; the first line of the first file if absent.
    #[serde(default)]
    pub header: Option<Vec<String>>,
    /// Character set of the files.
    #[serde(default)]
    pub charset: Option<String>,
    /// How lists are written inside one column.
    #[serde(default)]
    pub list_format: Option<ListFormat>,
    /// Rows per request in hugegraph-loader; accepted, the option of the load decides.
    #[serde(default)]
    pub batch_size: Option<u64>,
}

/// Which files of a folder to take.
#[derive(Clone, Debug, Deserialize)]
pub struct FileFilter {
    /// Endings of file names; `*` takes all.
    #[serde(default = "all_extensions")]
    pub extensions: Vec<String>,
}

impl Default for FileFilter {
    fn default() -> Self {
        Self { extensions: all_extensions() }
    }
}

/// Lines to leave out.
#[derive(Clone, Debug, Deserialize)]
pub struct SkippedLine {
    /// Matched against the whole line.
    #[serde(default = "default_skipped_line")]
    pub regex: String,
}

impl Default for SkippedLine {
    fn default() -> Self {
        Self { regex: default_skipped_line() }
    }
}

/// How lists are written inside one column.
#[derive(Clone, Debug, Deserialize)]
pub struct ListFormat {
    /// Before the first value.
    #[serde(default)]
    pub start_symbol: String,
    /// Between two values.
    #[serde(default = "default_elem_delimiter")]
    pub elem_delimiter: String,
    /// After the last value.
    #[serde(default)]
    pub end_symbol: String,
    /// Values left out.
    #[serde(default = "only_empty_text")]
    pub ignored_elems: BTreeSet<String>,
}

impl Default for ListFormat {
    fn default() -> Self {
        Self {
            start_symbol: String::new(),
            elem_delimiter: default_elem_delimiter(),
            end_symbol: String::new(),
            ignored_elems: only_empty_text(),
        }
    }
}

/// Columns to properties: the part vertices and edges have in common.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    /// Column name to property name; a column not named here keeps its name.
    pub field_mapping: BTreeMap<String, String>,
    /// Column name to (text in the file to value stored).
    pub value_mapping: BTreeMap<String, BTreeMap<String, Value>>,
    /// The only columns to take, if not empty.
    pub selected: BTreeSet<String>,
    /// Columns to leave out.
    pub ignored: BTreeSet<String>,
    /// Values that mean "absent" for properties that may be absent.
    pub null_values: Vec<Value>,
}

impl Fields {
    /// The property a column goes to.
    pub(crate) fn property_of<'a>(&'a self, column: &'a str) -> &'a str {
        self.field_mapping.get(column).map_or(column, String::as_str)
    }

    /// Whether a column is taken at all.
    pub(crate) fn takes(&self, column: &str) -> bool {
        (self.selected.is_empty() || self.selected.contains(column)) && !self.ignored.contains(column)
    }
}

/// The common keys of vertex and edge mappings, as in the file.
///
/// Written out in both mappings instead of flattened, since flattening hides unknown keys.
macro_rules! mapping_of {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $kind:ty = $default:expr,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Deserialize)]
        pub struct $name {
            /// Name of the label.
            pub label: String,
            /// Leave this mapping out.
            #[serde(default)]
            pub skip: bool,
            #[serde(default)]
            field_mapping: BTreeMap<String, String>,
            #[serde(default)]
            value_mapping: BTreeMap<String, BTreeMap<String, Value>>,
            #[serde(default)]
            selected: BTreeSet<String>,
            #[serde(default)]
            ignored: BTreeSet<String>,
            #[serde(default = "default_null_values")]
            null_values: Vec<Value>,
            /// How to merge with stored elements; not supported, must be empty.
            #[serde(default)]
            pub update_strategies: BTreeMap<String, Value>,
            /// Rows per request in hugegraph-loader; accepted, the option of the load decides.
            #[serde(default)]
            pub batch_size: Option<u64>,
            $($(#[$field_doc])* #[serde(default = $default)] pub $field: $kind,)*
        }

        impl $name {
            /// The columns and their properties.
            #[must_use]
            pub fn fields(&self) -> Fields {
                Fields {
                    field_mapping: self.field_mapping.clone(),
                    value_mapping: self.value_mapping.clone(),
                    selected: self.selected.clone(),
                    ignored: self.ignored.clone(),
                    null_values: self.null_values.clone(),
                }
            }
        }
    };
}

mapping_of! {
    /// A vertex to make from each row.
    VertexMapping {
        /// Column that holds the id, for labels whose ids are given.
        id: Option<String> = "Default::default",
        /// Make a vertex of each value of the list in the id (or only primary key) column.
        unfold: bool = "Default::default",
    }
}

mapping_of! {
    /// An edge to make from each row.
    EdgeMapping {
        /// Columns that identify the source vertex.
        source: Vec<String> = "Default::default",
        /// Columns that identify the target vertex.
        target: Vec<String> = "Default::default",
        /// Make an edge for each value of the list in the source column.
        unfold_source: bool = "Default::default",
        /// Make an edge for each value of the list in the target column.
        unfold_target: bool = "Default::default",
    }
}

/// Every key the form knows, for suggestions.
pub(crate) const KNOWN_KEYS: &[&str] = &[
    "version",
    "structs",
    "id",
    "skip",
    "input",
    "vertices",
    "edges",
    "type",
    "path",
    "file_filter",
    "extensions",
    "format",
    "delimiter",
    "date_format",
    "extra_date_formats",
    "time_zone",
    "skipped_line",
    "regex",
    "compression",
    "header",
    "charset",
    "list_format",
    "start_symbol",
    "elem_delimiter",
    "end_symbol",
    "ignored_elems",
    "batch_size",
    "label",
    "field_mapping",
    "value_mapping",
    "selected",
    "ignored",
    "null_values",
    "update_strategies",
    "unfold",
    "source",
    "target",
    "unfold_source",
    "unfold_target",
];

fn file_type() -> String {
    "FILE".into()
}

fn default_date_format() -> String {
    "yyyy-MM-dd HH:mm:ss".into()
}

/// hugegraph-loader's own default, so that a mapping means the same here.
fn default_time_zone() -> String {
    "GMT+8".into()
}

fn default_skipped_line() -> String {
    "(^#|^//).*|".into()
}

fn default_elem_delimiter() -> String {
    "|".into()
}

fn all_extensions() -> Vec<String> {
    vec!["*".into()]
}

fn only_empty_text() -> BTreeSet<String> {
    BTreeSet::from([String::new()])
}

fn default_null_values() -> Vec<Value> {
    vec![Value::from("")]
}

fn text_or_number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(serde::de::Error::custom(format!("expected a text such as \"1\", got {other}"))),
    }
}
