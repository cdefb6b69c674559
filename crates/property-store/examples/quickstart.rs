//! Records of people and their acquaintances, in memory: `cargo run -p property-store --example quickstart`. For one
//! that lasts open `kv_rocksdb::RocksDbEngine` with the same tables instead.

use std::sync::Arc;

use kv::MemoryEngine;
use property_store::{PropertyError, PropertyStore, Record, StoreOptions, TABLES};
use serde_json::Value;

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> Result<(), PropertyError> {
    let store = PropertyStore::open(Arc::new(MemoryEngine::open(TABLES)), StoreOptions::default())?;

    let people: Vec<(u64, Record)> = ["Ann", "Bob", "Cid"]
        .into_iter()
        .zip(1..)
        .map(|(name, id)| (id, Record::from_iter([("name".to_owned(), Value::from(name))])))
        .collect();
    store.nodes().extend(people.iter().map(|(id, record)| (*id, record)))?;
    store.edges().put((1, 2), &Record::from_iter([("since".to_owned(), Value::from(2019))]))?;
    store.nodes().merge(1, &Record::from_iter([("born".to_owned(), Value::from(1990))]))?;

    for found in store.nodes().scan(..)? {
        let (id, record) = found?;
        println!("node {id}: {}", Value::Object(record));
    }
    println!("1 -> 2 since {:?}", store.edges().get((1, 2), &["since"])?);
    println!("of 3, 9, 1: {:?}", store.nodes().batch_get(&[3, 9, 1])?);
    Ok(())
}
