//! The enumerations of queries (`T`, `Order`, `Scope`, ...) and the one type that holds any of their constants.

/// The kinds of elements that can be referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// A vertex.
    Vertex,
    /// An edge.
    Edge,
    /// A property of a vertex.
    VertexProperty,
}

impl ElementKind {
    /// The class's name as scripts write it.
    #[must_use]
    pub fn class(self) -> &'static str {
        match self {
            Self::Vertex => "Vertex",
            Self::Edge => "Edge",
            Self::VertexProperty => "VertexProperty",
        }
    }
}

macro_rules! enums {
    ($(
        $(#[$doc:meta])*
        $type:ident $class:literal { $($(#[$item_doc:meta])* $item:ident $name:literal),* $(,)? }
    )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub enum $type { $($(#[$item_doc])* $item),* }

            impl $type {
                /// The class's name as scripts write it.
                pub const CLASS: &'static str = $class;
                /// All constants.
                pub const ALL: &'static [Self] = &[$(Self::$item),*];

                /// The constant's name, without the class.
                #[must_use]
                pub fn name(self) -> &'static str {
                    match self { $(Self::$item => $name),* }
                }

                /// The constant of a name.
                #[must_use]
                pub fn from_name(name: &str) -> Option<Self> {
                    match name { $($name => Some(Self::$item),)* _ => None }
                }
            }

            impl From<$type> for Enum {
                fn from(constant: $type) -> Self { Self::$type(constant) }
            }
        )*

        /// A constant of any enumeration.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Enum { $($(#[$doc])* $type($type)),* }

        impl Enum {
            /// The names of all classes.
            pub const CLASSES: &'static [&'static str] = &[$($class),*];

            /// The class's name as scripts write it.
            #[must_use]
            pub fn class(self) -> &'static str {
                match self { $(Self::$type(_) => $class),* }
            }

            /// The constant's name, without the class.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$type(constant) => constant.name()),* }
            }

            /// The constant of a class and a name.
            #[must_use]
            pub fn from_names(class: &str, name: &str) -> Option<Self> {
                match class { $($class => $type::from_name(name).map(Self::$type),)* _ => None }
            }
        }
    };
}

enums! {
    /// Parts of an element that are not properties.
    T "T" {
        /// The id.
        Id "id",
        /// The label.
        Label "label",
        /// The key of a property.
        Key "key",
        /// The value of a property.
        Value "value",
    }
    /// A direction of edges.
    Direction "Direction" {
        /// From a vertex.
        Out "OUT",
        /// To a vertex.
        In "IN",
        /// Either.
        Both "BOTH",
    }
    /// How many values a property has.
    Cardinality "Cardinality" {
        /// One.
        Single "single",
        /// Many, in order.
        List "list",
        /// Many different ones.
        Set "set",
    }
    /// Parts of `mergeV()` and `mergeE()`.
    Merge "Merge" {
        /// What a new element gets.
        OnCreate "onCreate",
        /// What a found element gets.
        OnMatch "onMatch",
        /// The vertex an edge comes from.
        OutV "outV",
        /// The vertex an edge goes to.
        InV "inV",
    }
    /// Special branches.
    Pick "Pick" {
        /// Always taken.
        Any "any",
        /// Taken if no other is.
        None "none",
        /// Taken if the choice yields nothing.
        Unproductive "unproductive",
    }
    /// Units of `dateAdd()`.
    DateUnit "DT" {
        /// Seconds.
        Second "second",
        /// Minutes.
        Minute "minute",
        /// Hours.
        Hour "hour",
        /// Days.
        Day "day",
    }
    /// What a step applies to.
    Scope "Scope" {
        /// All traversers together.
        Global "global",
        /// The items of each.
        Local "local",
    }
    /// How results are sorted.
    Order "Order" {
        /// Smallest first.
        Asc "asc",
        /// Largest first.
        Desc "desc",
        /// At random.
        Shuffle "shuffle",
    }
    /// Sides of a map.
    Column "Column" {
        /// The keys.
        Keys "keys",
        /// The values.
        Values "values",
    }
    /// Which objects of a path's label.
    Pop "Pop" {
        /// The first.
        First "first",
        /// The last.
        Last "last",
        /// All, as a list.
        All "all",
        /// One as itself, several as a list.
        Mixed "mixed",
    }
    /// Functions of two values.
    Operator "Operator" {
        /// All items of both.
        AddAll "addAll",
        /// Logical and.
        And "and",
        /// The second.
        Assign "assign",
        /// Quotient.
        Div "div",
        /// The larger.
        Max "max",
        /// The smaller.
        Min "min",
        /// Difference.
        Minus "minus",
        /// Product.
        Mult "mult",
        /// Logical or.
        Or "or",
        /// Sum.
        Sum "sum",
        /// Sum as a long.
        SumLong "sumLong",
    }
    /// Functions of a barrier.
    Barrier "Barrier" {
        /// Makes the sum of sacks 1.
        NormSack "normSack",
    }
    /// Types of values.
    GType "GType" {
        /// Decimal number of any length.
        BigDecimal "BIGDECIMAL",
        /// Integer of any length.
        BigInt "BIGINT",
        /// Bytes.
        Binary "BINARY",
        /// True or false.
        Boolean "BOOLEAN",
        /// 8-bit integer.
        Byte "BYTE",
        /// A character.
        Char "CHAR",
        /// A moment with its offset.
        DateTime "DATETIME",
        /// 64-bit float.
        Double "DOUBLE",
        /// A length of time.
        Duration "DURATION",
        /// An edge.
        Edge "EDGE",
        /// 32-bit float.
        Float "FLOAT",
        /// A graph.
        Graph "GRAPH",
        /// 32-bit integer.
        Int "INT",
        /// A list.
        List "LIST",
        /// 64-bit integer.
        Long "LONG",
        /// A map.
        Map "MAP",
        /// Nothing.
        Null "NULL",
        /// Any number.
        Number "NUMBER",
        /// A path.
        Path "PATH",
        /// A property of an edge or of a property.
        Property "PROPERTY",
        /// A set.
        Set "SET",
        /// 16-bit integer.
        Short "SHORT",
        /// A text.
        String "STRING",
        /// A tree.
        Tree "TREE",
        /// A UUID.
        Uuid "UUID",
        /// A vertex.
        Vertex "VERTEX",
        /// A property of a vertex.
        VertexProperty "VPROPERTY",
    }
}

impl Enum {
    /// The constant of a bare name, as scripts may write most of them. Where two enumerations share a name (`list` is a
    /// cardinality and a type) this is the one of gremlin-lang's grammar; arguments convert it if they need the other.
    #[must_use]
    pub fn from_bare_name(name: &str) -> Option<Self> {
        // T, cardinality, direction, merge, pick and date unit come first in the grammar's literals.
        let constant = Self::CLASSES.iter().filter(|class| **class != GType::CLASS);
        constant
            .filter_map(|class| Self::from_names(class, name))
            .next()
            .or_else(|| direction_alias(name).map(Self::Direction))
            .or_else(|| gtype_from_name(name).map(Self::GType))
    }

    /// The constant of a class and a name as scripts write them, aliases included.
    #[must_use]
    pub fn from_script(class: &str, name: &str) -> Option<Self> {
        match class {
            "Direction" => Direction::from_name(name).or_else(|| direction_alias(name)).map(Self::Direction),
            "GType" => gtype_from_name(name).map(Self::GType),
            "VertexProperty.Cardinality" => Cardinality::from_name(name).map(Self::Cardinality),
            "SackFunctions.Barrier" => Barrier::from_name(name).map(Self::Barrier),
            _ => Self::from_names(class, name),
        }
    }
}

/// `from` and `to` are other names of directions.
fn direction_alias(name: &str) -> Option<Direction> {
    match name {
        "from" => Some(Direction::Out),
        "to" => Some(Direction::In),
        _ => None,
    }
}

/// Types are written in capitals or as `bigInt`, `int`, `uuid`, ...
fn gtype_from_name(name: &str) -> Option<GType> {
    let is_mixed = name.chars().any(char::is_uppercase) && name.chars().any(char::is_lowercase);
    match name {
        "bigInt" | "bigDecimal" | "dateTime" | "vProperty" => GType::from_name(&name.to_ascii_uppercase()),
        "datetime" => None,
        _ if is_mixed => None,
        _ => GType::from_name(&name.to_ascii_uppercase()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_has_its_name() {
        for gtype in GType::ALL {
            assert_eq!(Enum::from_names("GType", gtype.name()), Some(Enum::GType(*gtype)));
        }
        assert_eq!(Enum::from_script("Direction", "from"), Some(Enum::Direction(Direction::Out)));
    }

    #[test]
    fn bare_names_follow_the_grammar() {
        assert_eq!(Enum::from_bare_name("list"), Some(Enum::Cardinality(Cardinality::List)));
        assert_eq!(Enum::from_bare_name("inV"), Some(Enum::Merge(Merge::InV)));
        assert_eq!(Enum::from_bare_name("bigInt"), Some(Enum::GType(GType::BigInt)));
        assert_eq!(Enum::from_bare_name("OUT"), Some(Enum::Direction(Direction::Out)));
        assert_eq!(Enum::from_bare_name("marko"), None);
    }
}
