//! Limits of the schema, each with its reason.

/// Characters of a schema element's name. HugeGraph's limit.
pub const NAME_CHARS_MAX: usize = 255;

/// Elements of one kind (property keys, vertex labels, edge labels, index labels) in a graph:
/// the catalogue is kept in memory, about half a KiB each.
pub const ELEMENTS_PER_KIND_MAX: usize = 1_000_000;

/// Properties of one label: they are checked one by one on every insert.
pub const PROPERTIES_PER_LABEL_MAX: usize = 1_024;

/// Fields of one index label. Keys of indexes must stay below the limit of the storage engines, and the format counts
/// fields in a byte.
pub const FIELDS_PER_INDEX_MAX: usize = 16;

/// Index labels over one label: each is looked at, and may cost a write, on every insert.
pub const INDEXES_PER_LABEL_MAX: usize = 64;

/// Values of one LIST or SET property: they are decoded together.
pub const COLLECTION_ITEMS_MAX: usize = 65_535;

/// Largest number of a schema element: the catalogue has a slot for each number up to the largest in use.
pub const NUMBER_MAX: u32 = 1_000_000;

/// Labels of vertices or of edges, or property keys, that the writes of an auto graph can make: names that come with
/// the data are not bounded by anybody's plan, and every edge label is a range to look at in reading a vertex's edges.
pub const DECLARED_MAX: u32 = 65_536;

/// Edits between an unknown name and a known one up to which the known one is suggested: typing errors, not other
/// words.
pub const SUGGESTION_EDITS_MAX: usize = 2;

/// Characters of a client's text that an error repeats.
pub const SHOWN_CHARS_MAX: usize = 100;

/// Conditions on properties in one query: as many as a label can have properties.
pub const CONDITIONS_MAX: usize = PROPERTIES_PER_LABEL_MAX;
