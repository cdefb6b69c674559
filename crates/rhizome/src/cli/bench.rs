//! `rhizome bench`: the commands of `bench-cli`, which get the settings and engines of this program from here.

use std::path::Path;

use anyhow::bail;
use bench_cli::{BenchArguments, Storage};
use rhizome::engine;
use rhizome::settings::{EngineName, Settings};
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;

/// Runs one of the commands.
pub(super) fn bench(arguments: BenchArguments) -> anyhow::Result<()> {
    bench_cli::bench(arguments, read_storage)
}

fn read_storage(file: Option<&Path>, flags: &[(&str, String)]) -> anyhow::Result<Storage> {
    for (_, engine) in flags.iter().filter(|(key, _)| *key == "storage.engine") {
        let name: serde::de::value::StrDeserializer<'_, serde::de::value::Error> = engine.as_str().into_deserializer();
        if let Err(error) = EngineName::deserialize(name) {
            bail!("this program has no storage engine of that name: {error}");
        }
    }
    let settings = Settings::load(file, flags)?.storage;
    let is_rocksdb = settings.engine == EngineName::Rocksdb;
    let rocksdb = &settings.rocksdb;
    let durability_promise = match settings.engine {
        EngineName::Memory => "none: everything is in the memory of the process",
        EngineName::Rocksdb => settings.durability.promise(),
        EngineName::Tikv | EngineName::Cassandra => "as the database decides",
    };
    Ok(Storage {
        engine: format!("{:?}", settings.engine).to_lowercase(),
        durability: is_rocksdb.then(|| format!("{:?}", settings.durability).to_lowercase()),
        durability_promise: durability_promise.to_owned(),
        memory_budget_bytes: rocksdb.memory_budget.as_u64(),
        engine_settings: is_rocksdb.then(|| {
            vec![
                format!("memory_budget = {}", rocksdb.memory_budget),
                format!("write_buffer = {}", rocksdb.write_buffer),
                format!("block_size = {}", rocksdb.block_size),
                format!("compression = {:?}", rocksdb.compression).to_lowercase(),
                format!("background_jobs = {}", rocksdb.background_jobs),
            ]
        }),
        open: Box::new(move |folder, tables| {
            let mut settings = settings.clone();
            settings.data_dir = folder.to_owned();
            engine::open_tables(&settings, tables)
        }),
    })
}
