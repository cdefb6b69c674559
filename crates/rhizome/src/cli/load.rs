//! `rhizome load`: loads files into a running server, or directly into a data folder that no server has open.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use bulk_load::limits::SORT_MEMORY_BYTES;
use bulk_load::{ConsoleProgress, LoadOptions, LoadSummary, OfflineOptions, load_offline};
use bytesize::ByteSize;
use clap::Args;
use client_arguments::LoginArguments;
use graph_host::Store;
use rhizome::engine;
use rhizome::settings::Settings;

/// Elements in one request unless set: the most that HugeGraph accepts.
const BATCH_SIZE: usize = 500;

#[derive(Args)]
pub(super) struct LoadArguments {
    /// Mapping file, in the format of hugegraph-loader (version 2).
    #[arg(long, value_name = "FILE")]
    mapping: PathBuf,
    /// Schema to create first (JSON, as returned by the server's GET .../schema).
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// Load directly into the data folder, which no server may be using. Sorts everything first unless --batch-size is
    /// given.
    #[arg(long, conflicts_with_all = ["server", "in_flight", "dry_run", "no_verify"])]
    offline: bool,
    #[command(flatten)]
    store: StoreArguments,
    /// Server to load into.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    server: String,
    /// Graph to load into.
    #[arg(long, value_name = "NAME", default_value = "hugegraph")]
    graph: String,
    #[command(flatten)]
    login: LoginArguments,
    /// Elements in one request [default: 500, HugeGraph rejects more]. With --offline: write batches of this size
    /// instead of sorting.
    #[arg(long, value_name = "N")]
    batch_size: Option<usize>,
    /// Number of concurrent requests.
    #[arg(long, value_name = "N", default_value_t = 4)]
    in_flight: usize,
    /// Let the server check that both ends of each edge exist.
    #[arg(long)]
    check_vertex: bool,
    /// Folder for rejected rows [default: rejects, next to the mapping file].
    #[arg(long, value_name = "DIR")]
    rejects: Option<PathBuf>,
    /// Stop once more than this many rows have been rejected.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    rejects_max: u64,
    /// Base folder of relative paths in the mapping [default: that of the mapping file].
    #[arg(long, value_name = "DIR")]
    base_dir: Option<PathBuf>,
    /// Read and validate everything, but send nothing.
    #[arg(long)]
    dry_run: bool,
    /// Do not count the elements of each label on the server before and after the load.
    #[arg(long)]
    no_verify: bool,
}

/// Where and how to load offline.
#[derive(Args)]
struct StoreArguments {
    /// Data folder [default: rhizome-data].
    #[arg(long, value_name = "DIR", requires = "offline")]
    data: Option<PathBuf>,
    /// Settings file (TOML), as for `rhizome serve`.
    #[arg(long, value_name = "FILE", requires = "offline")]
    config: Option<PathBuf>,
    /// Memory for sorting, in addition to the storage engine's own [default: 1 GiB].
    #[arg(long, value_name = "SIZE", requires = "offline")]
    sort_memory: Option<ByteSize>,
    /// Threads that read, sort and store [default: one per processor core].
    #[arg(long, value_name = "N", requires = "offline")]
    threads: Option<usize>,
    /// Resume an interrupted load.
    #[arg(long, requires = "offline")]
    resume: bool,
}

pub(super) fn load(arguments: &LoadArguments) -> anyhow::Result<()> {
    let options = options(arguments);
    let summary = if arguments.offline {
        offline(arguments, options)?
    } else {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting the runtime")?;
        runtime.block_on(bulk_load::load(options, &ConsoleProgress::new()))?
    };
    super::terminal::print(&format!("{summary}\n"))?;
    match summary.rejected() {
        0 => Ok(()),
        rejected => bail!("{rejected} rows were rejected; the summary says where they are and why"),
    }
}

fn offline(arguments: &LoadArguments, load: LoadOptions) -> anyhow::Result<LoadSummary> {
    let of_store = &arguments.store;
    let data = of_store.data.as_ref().map(|path| ("storage.data_dir", path.display().to_string()));
    let settings = Settings::load(of_store.config.as_deref(), data.as_slice())?;
    super::logging::start(&settings.log)?;
    let engine = engine::open(&settings.storage).context("a load with --offline needs the data folder for itself")?;
    let mut options = settings.store_options()?;
    // Nothing but the load may write.
    options.purge.interval = None;
    let folder = &settings.storage.data_dir;
    let store = Store::open(engine, options).with_context(|| format!("opening the data in {}", folder.display()))?;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let options = OfflineOptions {
        load,
        graph: arguments.graph.clone(),
        data_dir: folder.clone(),
        memory_bytes: of_store.sort_memory.map_or(SORT_MEMORY_BYTES, |size| size.as_u64()),
        threads: of_store.threads.unwrap_or(cores),
        batch: arguments.batch_size,
        resume: of_store.resume,
    };
    Ok(load_offline(&store, &options, &ConsoleProgress::new())?)
}

fn options(arguments: &LoadArguments) -> LoadOptions {
    let mut options = LoadOptions::new(&arguments.mapping);
    options.schema.clone_from(&arguments.schema);
    options.client.url.clone_from(&arguments.server);
    options.client.graph.clone_from(&arguments.graph);
    options.client = arguments.login.with(options.client);
    options.batch_size = arguments.batch_size.unwrap_or(BATCH_SIZE);
    options.in_flight = arguments.in_flight;
    options.check_vertex = arguments.check_vertex;
    options.rejects_dir.clone_from(&arguments.rejects);
    options.rejects_max = Some(arguments.rejects_max);
    options.base_dir.clone_from(&arguments.base_dir);
    options.dry_run = arguments.dry_run;
    options.verify = !arguments.no_verify;
    options
}
