//! `rhizome migrate`: a graph of a HugeGraph server, by REST or from its files, into a data folder or, by REST, into a
//! running server.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use api_client::{ClientOptions, ElementKind};
use bulk_load::limits::SORT_MEMORY_BYTES;
use bulk_load::{ConsoleProgress, LoadObserver};
use bytesize::ByteSize;
use clap::Args;
use client_arguments::LoginArguments;
use graph_host::Store;
use hugegraph_files::{Place, Places, Source, Stores};
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use migrate::{
    FilesOptions, MigrateObserver, MigrateOptions, MigrateSummary, StoreTarget, from_files, into_server, into_store,
};
use rhizome::engine;
use rhizome::settings::Settings;

/// Folder inside the data folder for what was fetched.
const WORK_FOLDER: &str = "migration";
/// How often progress is written where nobody looks at a terminal.
const LINE_SECONDS: u64 = 5;

#[derive(Args)]
#[command(arg_required_else_help = true)]
pub(super) struct MigrateArguments {
    /// Source: the address of a HugeGraph server (0.12 to 1.7) or of another Rhizome. It is only read. --user,
    /// --password and --token log in to it; --ca is for both servers.
    #[arg(long, value_name = "URL", required_unless_present = "files")]
    from: Option<String>,
    /// Source: the folder of a stopped HugeGraph (1.0 to 1.7) with its RocksDB stores m, g and s, or one above it. It
    /// is only read. Faster than --from, and keeps what is left of a time to live.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["from", "to"])]
    files: Option<PathBuf>,
    /// Folder with the logs of these stores, HugeGraph's rocksdb.wal_path, where it is not beside or in their own.
    #[arg(long, value_name = "DIR", requires = "files")]
    wal: Option<PathBuf>,
    /// Graph of the source.
    #[arg(long, value_name = "NAME", default_value = "hugegraph")]
    graph: String,
    /// Graph space of the source.
    #[arg(long, value_name = "NAME", default_value = "DEFAULT")]
    graphspace: String,
    #[command(flatten)]
    login: LoginArguments,
    #[command(flatten)]
    target: TargetArguments,
    /// Graph of the target; made if it does not exist [default: the name in the source].
    #[arg(long, value_name = "NAME")]
    to_graph: Option<String>,
    /// Take users, groups, targets, belongs and accesses too, with the hashes of passwords.
    #[arg(long)]
    users: bool,
    /// Pages of the source fetched at the same time.
    #[arg(long, value_name = "N", default_value_t = 4)]
    workers: usize,
    /// Longest wait for one page, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    timeout: u64,
    /// Begin from the start even if there is an unfinished migration.
    #[arg(long)]
    restart: bool,
    /// Do not compare source and target at the end.
    #[arg(long)]
    no_verify: bool,
    /// Folder for what was fetched until it is loaded; about as large as the graph in JSON [default: migration in the
    /// data folder, or rhizome-migration with --to].
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,
}

/// Where to.
#[derive(Args)]
struct TargetArguments {
    /// Data folder that no server may be using [default: rhizome-data].
    #[arg(long, value_name = "DIR", conflicts_with = "to")]
    data: Option<PathBuf>,
    /// Settings file (TOML) of the target, as for `rhizome serve`.
    #[arg(long, value_name = "FILE", conflicts_with = "to")]
    config: Option<PathBuf>,
    /// Memory for sorting, in addition to the storage engine's own [default: 1 GiB].
    #[arg(long, value_name = "SIZE", conflicts_with = "to")]
    sort_memory: Option<ByteSize>,
    /// A running server instead of a data folder.
    #[arg(long, value_name = "URL")]
    to: Option<String>,
    /// User name, if that server requires authentication.
    #[arg(long, value_name = "NAME", env = "RHIZOME_TO_USER", requires = "to")]
    to_user: Option<String>,
    /// Password of that user; better given in the environment.
    #[arg(long, value_name = "TEXT", env = "RHIZOME_TO_PASSWORD", hide_env_values = true, requires = "to")]
    to_password: Option<String>,
}

pub(super) fn migrate(arguments: &MigrateArguments) -> anyhow::Result<()> {
    // It lives as long as the process; workers of the runtime hold it.
    let observer: &'static Progress = Box::leak(Box::new(Progress::new()));
    let summary = match &arguments.target.to {
        Some(url) => to_server(arguments, url, observer),
        None => to_store(arguments, observer),
    };
    observer.bar.finish_and_clear();
    let summary = summary?;
    super::terminal::print(&summary.to_string())?;
    match summary.differing().count() {
        0 => Ok(()),
        labels => bail!(
            "{labels} labels differ between source and target: somebody has written to one of them meanwhile, or the \
             target had elements of its own. Repeat the migration, with the writers stopped"
        ),
    }
}

fn to_store(arguments: &MigrateArguments, observer: &'static Progress) -> anyhow::Result<MigrateSummary> {
    // Before anything is made: that is where most mistakes are.
    let source = arguments.files.as_deref().map(|folder| open_files(arguments, folder)).transpose()?;
    let of_store = &arguments.target;
    let data = of_store.data.as_ref().map(|path| ("storage.data_dir", path.display().to_string()));
    let settings = Settings::load(of_store.config.as_deref(), data.as_slice())?;
    super::logging::start(&settings.log)?;
    let engine = engine::open(&settings.storage).context("a migration needs the data folder for itself")?;
    let mut store_options = settings.store_options()?;
    // Nothing but the migration may write.
    store_options.purge.interval = None;
    let folder = &settings.storage.data_dir;
    let store = Store::open(engine, store_options).with_context(|| format!("opening {}", folder.display()))?;
    let store = Arc::new(store);
    let accounts = arguments.users.then(|| super::auth::open_as_is(&settings, &store)).transpose()?;
    let target = StoreTarget {
        store: &store,
        accounts: accounts.as_ref(),
        memory_bytes: of_store.sort_memory.map_or(SORT_MEMORY_BYTES, |size| size.as_u64()),
        threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
    };
    let work_dir = folder.join(WORK_FOLDER);
    let summary = match &source {
        Some(source) => {
            let options = FilesOptions {
                graph: arguments.to_graph.clone().unwrap_or_else(|| arguments.graph.clone()),
                work_dir: arguments.work_dir.clone().unwrap_or(work_dir),
                restart: arguments.restart,
                users: arguments.users,
                verify: !arguments.no_verify,
            };
            from_files(source, target, &options, observer)?
        }
        None => into_store(target, &options(arguments, work_dir), observer)?,
    };
    store.engine().sync().context("writing the last changes to disk")?;
    Ok(summary)
}

/// The graph in the files of a stopped server.
fn open_files(arguments: &MigrateArguments, folder: &Path) -> anyhow::Result<Source> {
    let places = Places::find(folder, arguments.wal.as_deref())?;
    let open = |place: &Place| engine::open_foreign(&place.folder, place.log.as_deref());
    let stores = Stores::open(&places, open).context("HugeGraph must be stopped while its files are read")?;
    Ok(Source::new(stores, &arguments.graphspace, &arguments.graph)?)
}

fn to_server(arguments: &MigrateArguments, url: &str, observer: &'static Progress) -> anyhow::Result<MigrateSummary> {
    super::logging::start(&Settings::load(None, &[])?.log)?;
    let options = options(arguments, PathBuf::from("rhizome-migration"));
    let target = ClientOptions {
        url: url.to_owned(),
        graph: options.graph.clone(),
        username: arguments.target.to_user.clone(),
        password: arguments.target.to_password.clone(),
        token: None,
        ..options.source.clone()
    };
    Ok(into_server(target, arguments.workers, &options, observer)?)
}

fn options(arguments: &MigrateArguments, work_dir: PathBuf) -> MigrateOptions {
    MigrateOptions {
        source: arguments.login.with(ClientOptions {
            url: arguments.from.clone().unwrap_or_default(),
            graph: arguments.graph.clone(),
            graphspace: arguments.graphspace.clone(),
            timeout_ms: arguments.timeout.saturating_mul(1_000),
            connections_max: arguments.workers.max(1),
            ..ClientOptions::default()
        }),
        graph: arguments.to_graph.clone().unwrap_or_else(|| arguments.graph.clone()),
        work_dir: arguments.work_dir.clone().unwrap_or(work_dir),
        workers: arguments.workers,
        restart: arguments.restart,
        users: arguments.users,
        verify: !arguments.no_verify,
    }
}

/// Shows progress on standard error: a bar of shards on a terminal, else a line every few seconds.
struct Progress {
    bar: ProgressBar,
    elements: AtomicU64,
    bytes: AtomicU64,
    /// When fetching began, and when the last line was written.
    since: Mutex<(Instant, Instant)>,
    load: ConsoleProgress,
}

impl Progress {
    fn new() -> Self {
        let target = match console::user_attended_stderr() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(0), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} shards  {msg}") {
            bar.set_style(style);
        }
        let now = Instant::now();
        Self {
            bar,
            elements: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            since: Mutex::new((now, now)),
            load: ConsoleProgress::new(),
        }
    }

    fn count(&self, words: &str, elements: u64, bytes: u64) {
        let elements = self.elements.fetch_add(elements, Ordering::Relaxed) + elements;
        let bytes = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        let rate = elements.saturating_mul(1_000) / u64::try_from(since.0.elapsed().as_millis()).unwrap_or(1).max(1);
        let text = format!("{words}: {}, {}/s, {}", HumanCount(elements), HumanCount(rate), HumanBytes(bytes));
        self.bar.set_message(text.clone());
        if since.1.elapsed() >= Duration::from_secs(LINE_SECONDS) {
            since.1 = Instant::now();
            self.line(&text);
        }
    }

    fn line(&self, text: &str) {
        if self.bar.is_hidden() {
            tracing::info!("{text}");
        }
    }
}

fn words(kind: ElementKind) -> &'static str {
    match kind {
        ElementKind::Vertex => "vertices",
        ElementKind::Edge => "edges",
    }
}

impl MigrateObserver for Progress {
    fn step(&self, words: &str) {
        self.bar.set_message(words.to_owned());
        self.elements.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
        self.since.lock().unwrap_or_else(PoisonError::into_inner).0 = Instant::now();
        self.line(words);
    }

    fn fetching(&self, kind: ElementKind, shards: usize, done: usize) {
        self.step(&format!("fetching {}, {done} of {shards} shards are there", words(kind)));
        self.bar.set_length(shards as u64);
        self.bar.set_position(done as u64);
    }

    fn fetched(&self, kind: ElementKind, elements: u64, bytes: u64) {
        self.count(words(kind), elements, bytes);
    }

    fn shard(&self, _kind: ElementKind) {
        self.bar.inc(1);
    }

    fn sent(&self, kind: ElementKind, elements: u64) {
        self.count(words(kind), elements, 0);
    }

    fn load(&self) -> &dyn LoadObserver {
        &self.load
    }
}
