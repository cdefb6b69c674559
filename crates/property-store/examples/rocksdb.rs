//! A store in a folder: `cargo run -p property-store --example rocksdb -- FOLDER`. Run it twice: the second time the
//! records are there.
//!
//! A program of its own needs two dependencies for this, `property-store` and `kv-rocksdb`, and `serde_json` for the
//! records.

use std::path::PathBuf;
use std::sync::Arc;

use kv_rocksdb::{Durability, RocksDbEngine, RocksDbOptions};
use property_store::record::Encoder;
use property_store::{Access, BulkLoad, BulkOptions, Check, PropertyError, PropertyStore, StoreOptions, TABLES};

#[expect(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> Result<(), PropertyError> {
    let path = std::env::args_os().nth(1).map_or_else(|| std::env::temp_dir().join("property-store"), PathBuf::from);
    println!("the store in {}", path.display());
    let options = RocksDbOptions { path, durability: Durability::Fsync, ..RocksDbOptions::default() };
    let engine = Arc::new(RocksDbEngine::open(&options, TABLES)?);
    let store = PropertyStore::open(Arc::clone(&engine) as _, StoreOptions::default())?;
    println!("{} nodes, {} edges from before", store.nodes().count()?, store.edges().count()?);

    // A hundred thousand edges, sorted outside of the engine and handed over as finished files.
    let mut encoder = Encoder::default();
    let mut bytes = Vec::new();
    let mut load = BulkLoad::begin(&store, BulkOptions::default())?;
    for number in 0..100_000u64 {
        bytes.clear();
        encoder.text("label", "knows").integer("since", 2019).finish_into(&mut bytes);
        load.edge((number % 1000, number), &bytes, Check::Trust)?;
    }
    let summary = load.finish(&mut |_| ())?;
    println!("{} edges loaded", summary.stored);

    let reader = PropertyStore::open(engine, StoreOptions { access: Access::ReadOnly, ..StoreOptions::default() })?;
    let of_seven = reader.edges().scan((7, 0)..(8, 0))?.collect::<Result<Vec<_>, _>>()?;
    println!("node 7 has {} edges; the first is {:?}", of_seven.len(), of_seven.first());
    if let Err(refused) = reader.nodes().remove(7) {
        println!("the reader may not write: {refused}");
    }
    Ok(())
}
