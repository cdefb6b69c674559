//! Property values and their types.

/// The type of a property's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataType {
    /// Any JSON value, stored as it came.
    Object,
    /// True or false.
    Boolean,
    /// 8-bit signed integer.
    Byte,
    /// 32-bit signed integer.
    Int,
    /// 64-bit signed integer.
    Long,
    /// 32-bit IEEE float.
    Float,
    /// 64-bit IEEE float.
    Double,
    /// Text.
    Text,
    /// Bytes.
    Blob,
    /// A moment, in milliseconds since 1970 UTC.
    Date,
    /// A UUID.
    Uuid,
    /// Values that say their own type ([`Value::Any`]): of property keys that an auto graph made on first write.
    /// Clients see it as `OBJECT`, the type whose values can be anything; no client can ask for it.
    Any,
}

impl DataType {
    /// Every type that a client can ask for, in HugeGraph's order.
    pub const ALL: [Self; 11] = [
        Self::Object,
        Self::Boolean,
        Self::Byte,
        Self::Int,
        Self::Long,
        Self::Float,
        Self::Double,
        Self::Text,
        Self::Blob,
        Self::Date,
        Self::Uuid,
    ];

    /// The name in HugeGraph's schema.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Object | Self::Any => "OBJECT",
            Self::Boolean => "BOOLEAN",
            Self::Byte => "BYTE",
            Self::Int => "INT",
            Self::Long => "LONG",
            Self::Float => "FLOAT",
            Self::Double => "DOUBLE",
            Self::Text => "TEXT",
            Self::Blob => "BLOB",
            Self::Date => "DATE",
            Self::Uuid => "UUID",
        }
    }

    /// The type of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|data_type| data_type.name() == name)
    }

    /// Whether values are numbers.
    #[must_use]
    pub fn is_number(self) -> bool {
        matches!(self, Self::Byte | Self::Int | Self::Long | Self::Float | Self::Double)
    }
}

/// How many values a property holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cardinality {
    /// One.
    Single,
    /// Many, in order, with repetitions.
    List,
    /// Many, without repetitions.
    Set,
}

impl Cardinality {
    /// The name in HugeGraph's schema.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "SINGLE",
            Self::List => "LIST",
            Self::Set => "SET",
        }
    }

    /// The cardinality of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Single, Self::List, Self::Set].into_iter().find(|cardinality| cardinality.name() == name)
    }
}

/// A property value, already of its property key's type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// JSON text, compact.
    Object(Box<str>),
    /// True or false.
    Boolean(bool),
    /// 8-bit integer.
    Byte(i8),
    /// 32-bit integer.
    Int(i32),
    /// 64-bit integer.
    Long(i64),
    /// 32-bit float, NaN and infinities included.
    Float(f32),
    /// 64-bit float, NaN and infinities included.
    Double(f64),
    /// Text.
    Text(compact_str::CompactString),
    /// Bytes.
    Blob(Box<[u8]>),
    /// Milliseconds since 1970 UTC.
    Date(i64),
    /// The 128 bits of a UUID, most significant first.
    Uuid(u128),
    /// All values of a property that say their own types, encoded: see the crate `tagged-value`. Opaque here.
    Any(Box<[u8]>),
    /// Values of one simple type, in order.
    List(Vec<Self>),
    /// Values of one simple type without repetitions, in the order of first appearance.
    Set(Vec<Self>),
}

impl Value {
    /// The values of a collection, or the value itself as the only one.
    #[must_use]
    pub fn items(&self) -> &[Self] {
        match self {
            Self::List(items) | Self::Set(items) => items,
            single => std::slice::from_ref(single),
        }
    }

    /// The values of a collection, or the value itself as the only one.
    #[must_use]
    pub fn into_items(self) -> Vec<Self> {
        match self {
            Self::List(items) | Self::Set(items) => items,
            single => vec![single],
        }
    }

    /// Memory that it takes beyond itself, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Text(text) if text.is_heap_allocated() => text.capacity(),
            Self::Object(text) => text.len(),
            Self::Blob(bytes) | Self::Any(bytes) => bytes.len(),
            Self::List(items) | Self::Set(items) => items.iter().map(|item| item.bytes() + size_of::<Self>()).sum(),
            _ => 0,
        }
    }

    /// Whether two values are the same stored value: floats by their bits, so that NaN equals NaN.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            (Self::Double(a), Self::Double(b)) => a.to_bits() == b.to_bits(),
            (Self::List(a), Self::List(b)) | (Self::Set(a), Self::Set(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
            }
            (a, b) => a == b,
        }
    }
}
