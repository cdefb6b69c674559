//! What scripts may call beside steps: sources, terminals, transactions, and methods of graphs, elements and results.

use query_value::Text;

/// Where a traversal starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A traversal source by its name: `g`, `__g_hugegraph`.
    Named(Text),
    /// The source of a graph: `hugegraph.traversal()`.
    OfGraph(Text),
}

/// What is asked of a traversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// One result, or up to a number of them.
    Next(Option<i64>),
    /// All results, as a list.
    ToList,
    /// All different results.
    ToSet,
    /// All different results with their counts.
    ToBulkSet,
    /// Only its effects.
    Iterate,
    /// Whether there is a result.
    HasNext,
    /// One result or none.
    TryNext,
    /// The plan.
    Explain,
}

/// What is asked of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionCall {
    /// Starts one.
    Begin,
    /// Keeps its writes.
    Commit,
    /// Drops its writes.
    Rollback,
    /// Whether one is open.
    IsOpen,
}

macro_rules! methods {
    ($($(#[$doc:meta])* $item:ident $name:literal),* $(,)?) => {
        /// Methods that may be called on graphs, elements and results.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Method { $($(#[$doc])* $item),* }

        impl Method {
            /// The name in scripts.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$item => $name),* }
            }

            /// The method of a name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$item),)* _ => None }
            }
        }
    };
}

methods! {
    /// Makes a vertex.
    AddVertex "addVertex",
    /// Makes an edge from a vertex.
    AddEdge "addEdge",
    /// All vertices of a graph, or those of some ids.
    Vertices "vertices",
    /// All edges of a graph, or those of some ids.
    Edges "edges",
    /// Reads or writes a property.
    Property "property",
    /// The properties.
    Properties "properties",
    /// Deletes an element.
    Remove "remove",
    /// The id.
    Id "id",
    /// The label.
    Label "label",
    /// A property's value.
    Value "value",
    /// Values of properties, or of a map.
    Values "values",
    /// Keys of properties, or of a map.
    Keys "keys",
    /// How many items there are.
    Size "size",
    /// An item by its index or key.
    Get "get",
    /// Whether there are no items.
    IsEmpty "isEmpty",
    /// Whether an item is there.
    Contains "contains",
    /// Whether a key is there.
    ContainsKey "containsKey",
    /// Sets an entry.
    Put "put",
    /// Appends an item.
    Add "add",
    /// The first item.
    First "first",
    /// The last item.
    Last "last",
    /// The text of anything.
    ToString "toString",
    /// One result of a traversal kept in a variable.
    Next "next",
    /// All its results.
    ToList "toList",
    /// All its different results.
    ToSet "toSet",
    /// Only its effects.
    Iterate "iterate",
    /// Whether it has a result.
    HasNext "hasNext",
    /// One result or none.
    TryNext "tryNext",
}
