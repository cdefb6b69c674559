//! Rhizome as a library: define a schema, insert, query by id and by neighbours, close, open again.
//!
//! Run it with `cargo run --release --example embedded [FOLDER]`.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use rhizome::{Cardinality, DataType, Database, Direction, Error};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).map_or_else(|| std::env::temp_dir().join("rhizome-example"), Into::into);
    println!("database in {}", folder.display());

    let database = Database::open(&folder)?;
    define_schema(&database)?;
    let graph = database.graph();
    let marko = graph.add_vertex("person").set("name", "marko").set("age", 29).set("tags", vec!["a", "b"]).insert()?;
    let josh = graph.add_vertex("person").set("name", "josh").set("age", 32).insert()?;
    let lop = graph.add_vertex("software").id("lop").set("language", "java").insert()?;
    graph.add_edge("knows", &marko, &josh).set("since", "2019-05-01").insert()?;
    graph.add_edge("created", &marko, &lop).insert()?;
    graph.add_edge("created", &josh, &lop).insert()?;
    database.close()?;

    // Everything is still there.
    let database = Database::open(&folder)?;
    let graph = database.graph();
    let vertex = graph.vertex(&marko)?.ok_or("marko is gone")?;
    println!("{} is a {} with {:?}", vertex.id, vertex.label, vertex.properties);
    for friend in graph.neighbours(&marko, Direction::Out, Some("knows"))? {
        println!("{} knows {}", vertex.id, friend.id);
    }
    let creators = graph.neighbours(&lop, Direction::In, Some("created"))?;
    println!("lop was created by {} persons", creators.len());
    if creators.len() != 2 {
        return Err("two persons created lop".into());
    }
    database.close()?;
    Ok(())
}

fn define_schema(database: &Database) -> Result<(), Error> {
    let graph = database.graph();
    graph.property_key("name", DataType::Text)?;
    graph.property_key("age", DataType::Int)?;
    graph.property_key("language", DataType::Text)?;
    graph.property_key("since", DataType::Date)?;
    graph.property_key_of("tags", DataType::Text, Cardinality::Set)?;
    graph
        .vertex_label("person")
        .properties(["name", "age", "tags"])
        .primary_keys(["name"])
        .nullable(["tags"])
        .create()?;
    graph
        .vertex_label("software")
        .id_strategy(rhizome::IdStrategy::CustomizeString)
        .properties(["language"])
        .create()?;
    graph.edge_label("knows", "person", "person").properties(["since"]).create()?;
    graph.edge_label("created", "person", "software").create()
}
