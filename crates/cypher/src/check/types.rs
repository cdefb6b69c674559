//! Types that are known before a query runs.

/// The type of an expression, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    /// Not known.
    Any,
    /// Null.
    Null,
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// Another number.
    Float,
    /// Either kind of number.
    Number,
    /// A text.
    String,
    /// A list of a type.
    List(Box<Self>),
    /// A map.
    Map,
    /// A node.
    Node,
    /// A relationship.
    Relationship,
    /// A path.
    Path,
}

impl Type {
    /// A list of anything.
    #[must_use]
    pub fn list() -> Self {
        Self::List(Box::new(Self::Any))
    }

    /// Whether a value of it can be true or false.
    #[must_use]
    pub fn may_be_boolean(&self) -> bool {
        matches!(self, Self::Any | Self::Null | Self::Boolean)
    }

    /// Whether a value of it can be computed with; temporal values, whose types are not known, can.
    #[must_use]
    pub fn may_be_number(&self) -> bool {
        matches!(self, Self::Any | Self::Null | Self::Integer | Self::Float | Self::Number)
    }

    /// Whether a value of it can be a list.
    #[must_use]
    pub fn may_be_list(&self) -> bool {
        matches!(self, Self::Any | Self::Null | Self::List(_))
    }

    /// The type that covers both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        match (self, other) {
            (a, b) if a == b => a,
            (a, Self::Null) => a,
            (Self::Null, b) => b,
            (Self::Integer | Self::Float | Self::Number, Self::Integer | Self::Float | Self::Number) => Self::Number,
            (Self::List(a), Self::List(b)) => Self::List(Box::new(a.with(*b))),
            _ => Self::Any,
        }
    }

    /// Its name in errors.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Any => "Any",
            Self::Null => "Null",
            Self::Boolean => "Boolean",
            Self::Integer => "Integer",
            Self::Float => "Float",
            Self::Number => "Number",
            Self::String => "String",
            Self::List(_) => "List",
            Self::Map => "Map",
            Self::Node => "Node",
            Self::Relationship => "Relationship",
            Self::Path => "Path",
        }
    }

    /// Whether a value of this type can be given where another is wanted.
    #[must_use]
    pub fn may_be(&self, wanted: &Self) -> bool {
        match (self, wanted) {
            (Self::Any | Self::Null, _) | (_, Self::Any) | (Self::List(_), Self::List(_)) => true,
            (Self::Integer | Self::Number, Self::Float | Self::Number) | (Self::Float, Self::Number) => true,
            (Self::Number, Self::Integer) | (Self::Node | Self::Relationship, Self::Map) => true,
            (a, b) => a == b,
        }
    }
}
