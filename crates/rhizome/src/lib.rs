//! Rhizome as a library: a property graph in your own process, without a server.
//!
//! What it is: [`Database`] (open, close), [`Graph`] (define a schema, insert, query by id and neighbours), and what
//! the `rhizome` binary shares with it: settings ([`settings`]) and the choice of an engine ([`engine`]), made here and
//! nowhere else. What it is not: the graph itself is in `graph-store`, the REST API in `rest-api`.
//!
//! ```
//! use rhizome::{DataType, Database, Direction};
//!
//! # fn main() -> Result<(), rhizome::Error> {
//! let database = Database::in_memory()?;
//! let graph = database.graph();
//! graph.property_key("name", DataType::Text)?;
//! graph.vertex_label("person").properties(["name"]).primary_keys(["name"]).create()?;
//! graph.edge_label("knows", "person", "person").create()?;
//!
//! let ann = graph.add_vertex("person").set("name", "ann").insert()?;
//! let bob = graph.add_vertex("person").set("name", "bob").insert()?;
//! graph.add_edge("knows", &ann, &bob).insert()?;
//!
//! let friends = graph.neighbours(&ann, Direction::Out, Some("knows"))?;
//! assert_eq!(friends[0].text("name"), Some("bob"));
//! # database.close()
//! # }
//! ```
//!
//! Start reading at [`Database`].

mod embedded;
pub mod engine;
pub mod settings;

pub use embedded::{
    Database, Edge, EdgeBuilder, EdgeLabelBuilder, Error, Graph, IntoLiteral, Vertex, VertexBuilder, VertexLabelBuilder,
};
pub use graph_model::{Cardinality, DataType, Direction, IdStrategy, Value, VertexId};
