//! Codes of types.

pub(crate) const INT: u8 = 0x01;
pub(crate) const LONG: u8 = 0x02;
pub(crate) const STRING: u8 = 0x03;
pub(crate) const DATE: u8 = 0x04;
pub(crate) const TIMESTAMP: u8 = 0x05;
pub(crate) const CLASS: u8 = 0x06;
pub(crate) const DOUBLE: u8 = 0x07;
pub(crate) const FLOAT: u8 = 0x08;
pub(crate) const LIST: u8 = 0x09;
pub(crate) const MAP: u8 = 0x0a;
pub(crate) const SET: u8 = 0x0b;
pub(crate) const UUID: u8 = 0x0c;
pub(crate) const EDGE: u8 = 0x0d;
pub(crate) const PATH: u8 = 0x0e;
pub(crate) const PROPERTY: u8 = 0x0f;
pub(crate) const GRAPH: u8 = 0x10;
pub(crate) const VERTEX: u8 = 0x11;
pub(crate) const VERTEX_PROPERTY: u8 = 0x12;
pub(crate) const BARRIER: u8 = 0x13;
pub(crate) const BINDING: u8 = 0x14;
pub(crate) const BYTECODE: u8 = 0x15;
pub(crate) const CARDINALITY: u8 = 0x16;
pub(crate) const COLUMN: u8 = 0x17;
pub(crate) const DIRECTION: u8 = 0x18;
pub(crate) const OPERATOR: u8 = 0x19;
pub(crate) const ORDER: u8 = 0x1a;
pub(crate) const PICK: u8 = 0x1b;
pub(crate) const POP: u8 = 0x1c;
pub(crate) const LAMBDA: u8 = 0x1d;
pub(crate) const P: u8 = 0x1e;
pub(crate) const SCOPE: u8 = 0x1f;
pub(crate) const T: u8 = 0x20;
pub(crate) const TRAVERSER: u8 = 0x21;
pub(crate) const BIG_DECIMAL: u8 = 0x22;
pub(crate) const BIG_INTEGER: u8 = 0x23;
pub(crate) const BYTE: u8 = 0x24;
pub(crate) const BYTE_BUFFER: u8 = 0x25;
pub(crate) const SHORT: u8 = 0x26;
pub(crate) const BOOLEAN: u8 = 0x27;
pub(crate) const TEXT_P: u8 = 0x28;
pub(crate) const STRATEGY: u8 = 0x29;
pub(crate) const BULK_SET: u8 = 0x2a;
pub(crate) const TREE: u8 = 0x2b;
pub(crate) const METRICS: u8 = 0x2c;
pub(crate) const TRAVERSAL_METRICS: u8 = 0x2d;
pub(crate) const MERGE: u8 = 0x2e;
pub(crate) const DATE_UNIT: u8 = 0x2f;
pub(crate) const GTYPE: u8 = 0x30;
pub(crate) const CHAR: u8 = 0x80;
pub(crate) const DURATION: u8 = 0x81;
pub(crate) const INSTANT: u8 = 0x83;
pub(crate) const OFFSET_DATE_TIME: u8 = 0x88;
pub(crate) const NULL: u8 = 0xfe;

/// Codes of enumerations with the names of their classes.
pub(crate) const ENUMS: [(u8, &str); 13] = [
    (BARRIER, "Barrier"),
    (CARDINALITY, "Cardinality"),
    (COLUMN, "Column"),
    (DIRECTION, "Direction"),
    (OPERATOR, "Operator"),
    (ORDER, "Order"),
    (PICK, "Pick"),
    (POP, "Pop"),
    (SCOPE, "Scope"),
    (T, "T"),
    (MERGE, "Merge"),
    (DATE_UNIT, "DT"),
    (GTYPE, "GType"),
];
