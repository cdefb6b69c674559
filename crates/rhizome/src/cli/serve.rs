//! `rhizome serve`: starts settings, listener, engine, store and HTTP in this order, and stops them in reverse.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, anyhow, bail};
use auth::{Accounts, Authenticate, NoUsers};
use backup_service::{BackupJob, Backups};
use clap::Args;
use cypher_session::{CypherJobs, GraphQueries, Transactions};
use explorer_api::{ExplorerApi, LoadTests};
use graph_analysis::{AnalysisJob, JobState};
use graph_host::{JobRegistry, Store};
use graph_limits::GraphLimits;
use gremlin_server::{GremlinServer, NotThere};
use http_server::Mounts;
use query_api::QueryApi;
use query_service::{GremlinJobs, QueryService};
use rest_api::{ApiOptions, Limits, LogLevel};
use rhizome::engine;
use rhizome::settings::{DurabilityName, EngineName, Server, Settings, TracesSettings};
use sd_notify::NotifyState;
use serving::{Serving, Worker};
use tls::Tls;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::{Handle, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use traces::{TracedEngine, Traces};
use web_ui::Explorer;

use super::tls::Schemes;

/// Connections that wait in the system's queue until the server takes them.
const LISTEN_BACKLOG: u32 = 4096;

/// File descriptors in addition to connections and data files: standard streams, the log, the lock, the runtime.
const OTHER_DESCRIPTORS: u64 = 128;

/// How long the server waits at its end for the collector of traces.
const LAST_SPANS_TIME_MAX: Duration = Duration::from_secs(5);

#[derive(Args)]
pub(super) struct ServeArguments {
    /// Settings file (TOML); it needs only the settings that differ from the defaults.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address and port to listen on [default: 127.0.0.1:8080].
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Data folder [default: rhizome-data].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Storage engine: rocksdb, memory, cassandra or tikv [default: rocksdb].
    #[arg(long, value_name = "NAME")]
    engine: Option<String>,
    /// What an acknowledged write survives: wal (a process crash) or fsync (a power failure) [default: wal].
    #[arg(long, value_name = "MODE")]
    durability: Option<String>,
    /// Let anyone who can reach the port do everything, also on an address that is not loopback.
    #[arg(long)]
    insecure_no_auth: bool,
    /// Any other setting, as section.key=value; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

pub(super) fn serve(arguments: &ServeArguments) -> anyhow::Result<()> {
    let settings = load_settings(arguments)?;
    let log: Arc<dyn LogLevel> = Arc::new(super::logging::start(&settings.log)?);
    check_openness(&settings, arguments.insecure_no_auth)?;
    let tls = super::tls::open(&settings)?;
    raise_descriptor_limit(&settings);
    let workers = Workers::start(&settings.server)?;
    let running = workers.workers();
    // This thread accepts connections and handles shutdown.
    let runtime = current_thread(&settings.server)?;
    let outcome = runtime.block_on(run(settings, running, tls, log));
    workers.stop();
    outcome
}

/// A runtime for one thread, plus as many blocking threads as the settings allow.
fn current_thread(server: &Server) -> anyhow::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(server.blocking_threads.max(1))
        // Blocking threads may run anywhere; the thread that starts them may be pinned.
        .on_thread_start(threads::run_anywhere)
        .enable_all()
        .build()
        .context("starting a runtime")
}

/// Threads that serve connections, each with a runtime of its own.
struct Workers {
    threads: Vec<(Worker, std::thread::JoinHandle<()>)>,
    stop: watch::Sender<bool>,
}

impl Workers {
    fn start(server: &Server) -> anyhow::Result<Self> {
        let count = match server.worker_threads {
            0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            count => count,
        };
        // Pinned, fewer threads would never use some of the processors, and more would have to share them.
        let processors = threads::processors();
        let is_tied = server.pin_threads && processors.len() == count;
        let stop = watch::Sender::new(false);
        let mut threads = Vec::with_capacity(count);
        for number in 0..count {
            let runtime = current_thread(server)?;
            let processor = processors.get(number).copied().filter(|_| is_tied);
            let worker = Worker { runtime: runtime.handle().clone(), processor };
            let mut stopped = stop.subscribe();
            let thread = std::thread::Builder::new()
                .name(format!("http-{number}"))
                .spawn(move || {
                    processor.map(threads::run_on);
                    // Fails only if the sender is gone, which means stop as well.
                    drop(runtime.block_on(stopped.wait_for(|stop| *stop)));
                })
                .context("starting a thread for connections")?;
            threads.push((worker, thread));
        }
        Ok(Self { threads, stop })
    }

    fn workers(&self) -> Vec<Worker> {
        self.threads.iter().map(|(worker, _)| worker.clone()).collect()
    }

    /// Ends the threads and any work still running on them.
    fn stop(self) {
        self.stop.send_replace(true);
        for (_, thread) in self.threads {
            if thread.join().is_err() {
                tracing::error!("a thread that served connections panicked");
            }
        }
    }
}

fn load_settings(arguments: &ServeArguments) -> anyhow::Result<Settings> {
    let mut flags = Vec::new();
    let data = arguments.data.as_ref().map(|path| path.display().to_string());
    let named = [
        ("server.listen", &arguments.listen),
        ("storage.data_dir", &data),
        ("storage.engine", &arguments.engine),
        ("storage.durability", &arguments.durability),
    ];
    for (key, value) in named {
        if let Some(value) = value {
            flags.push((key, value.clone()));
        }
    }
    for setting in &arguments.set {
        let (key, value) =
            setting.split_once('=').with_context(|| format!("--set {setting}: expected section.key=value"))?;
        flags.push((key, value.to_owned()));
    }
    Ok(Settings::load(arguments.config.as_deref(), &flags)?)
}

async fn run(
    settings: Settings,
    workers: Vec<Worker>,
    tls: Option<Arc<Tls>>,
    log: Arc<dyn LogLevel>,
) -> anyhow::Result<()> {
    // Bind the port first: opening the data can take long, and would be wasted if the port is taken.
    let listener = listen(&settings.server.listen, &REST)?;
    let gremlin_listener =
        if settings.gremlin.enabled { Some(listen(&settings.gremlin.listen, &GREMLIN)?) } else { None };
    let bolt_listener = if settings.bolt.enabled { Some(listen(&settings.bolt.listen, &BOLT)?) } else { None };
    let address = listener.local_addr().context("reading the listener's address")?;
    let bolt_address = bolt_listener.as_ref().map(TcpListener::local_addr).transpose()?;
    let gremlin_address = gremlin_listener.as_ref().map(TcpListener::local_addr).transpose()?;
    let listeners: Vec<_> = [Some(address), gremlin_address, bolt_address].into_iter().flatten().collect();
    super::tls::warn_of_plain_text(&settings, &listeners);
    if let Some(tls) = &tls {
        super::tls::follow(tls)?;
    }
    // From here on a signal shuts the server down gracefully, even while the data is being opened.
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let (stop, stopped) = watch::channel(false);
    let signals = async move {
        tokio::select! {
            _ = interrupt.recv() => tracing::info!("interrupted: finishing running requests"),
            _ = terminate.recv() => tracing::info!("terminated: finishing running requests"),
        }
        tell_service_manager(NotifyState::Stopping);
        stop.send_replace(true);
    };
    let shutdown = || {
        let mut stopped = stopped.clone();
        // Fails only if the sender is gone, which means stop as well.
        async move { drop(stopped.wait_for(|stop| *stop).await) }
    };
    let audit = super::audit::open(&settings)?;
    let opening = settings.clone();
    let jobs = GremlinJobs::default();
    let mut registry = JobRegistry::default();
    registry.register(Arc::new(jobs.job()));
    let cypher_jobs = CypherJobs::default();
    registry.register(Arc::new(cypher_jobs.job()));
    let backups = Backups::new(backup_options(&settings)?);
    for job in BackupJob::all(&backups) {
        registry.register(Arc::new(job));
    }
    let analyses = Arc::new(JobState::new(settings.analysis.memory_bytes_max.0, settings.analysis.threads));
    for kind in [graph_analysis::JOB_KIND, graph_analysis::COMPUTER_KIND] {
        let jobs = jobs.clone();
        let job = AnalysisJob::new(kind, Arc::clone(&analyses));
        registry.register(Arc::new(job.with_rights(Arc::new(move |user, graph| jobs.rights(user, graph)))));
    }
    let traces = start_traces(&settings)?;
    let is_traced = traces.is_on();
    let opened = tokio::task::spawn_blocking(move || open_store(&opening, registry, is_traced));
    let store = Arc::new(while_starting(&listener, opened).await??);
    let accounts = match settings.auth.enabled {
        true => {
            let (opening, store) = (settings.clone(), Arc::clone(&store));
            let opened = tokio::task::spawn_blocking(move || super::auth::open(&opening, &store));
            let accounts = while_starting(&listener, opened).await??;
            super::auth::follow(&accounts, &settings)?;
            Some(accounts)
        }
        false => None,
    };
    let queries = QueryService::with_accounts(Arc::clone(&store), query_options(&settings), accounts.clone());
    let queries = Arc::new(queries);
    jobs.connect(&queries);
    let cypher = GraphQueries::new(Arc::clone(&queries)).with_analyses(Some(Arc::clone(&analyses)));
    let cypher = Arc::new(cypher);
    cypher_jobs.connect(&cypher);
    backups.connect(&store);
    let archiver = super::archive::start(&settings, &backups)?;
    announce(&settings, address, gremlin_address, bolt_address);
    tell_service_manager(NotifyState::Ready);
    let grace = Duration::from_millis(settings.server.shutdown_grace_ms);
    let remote = store.engine().capabilities().remote;
    let serving = Arc::new(Serving::new(serving::Options {
        watch: super::audit::watch(&settings, audit.clone()),
        traces: traces.clone(),
        ..serving_options(&settings.server, workers.len(), remote)
    }));
    let (of_limits, quotas) = (Arc::clone(&store), Arc::clone(&serving.watch.quotas));
    let limits = tokio::task::spawn_blocking(move || GraphLimits::open(of_limits, quotas)).await??;
    let limits = Arc::new(limits);
    super::limits::follow(&limits, &store, &settings)?;
    super::archive::measure(&settings, &backups, &serving.metrics);
    let options = ApiOptions {
        graph_limits: Some(limits),
        log: Some(log),
        analyses: Some(Arc::clone(&analyses)),
        ..api_options(&settings, accounts.clone(), backups)
    };
    let api = rest_api::service(Arc::clone(&queries), Arc::clone(&serving), options);
    let users: Arc<dyn Authenticate> = match accounts {
        Some(accounts) => accounts,
        None => Arc::new(NoUsers),
    };
    let gremlin = gremlin_options(&settings, Arc::clone(&users));
    let gremlin = GremlinServer::new(Arc::clone(&queries), Arc::clone(&serving), gremlin);
    let transactions = Arc::new(Transactions::new(cypher, Arc::clone(&serving), transaction_options(&settings)));
    let query_api = QueryApi::new(Arc::clone(&transactions), Arc::clone(&users), query_api_options(&settings));
    let explorer = ExplorerApi::new(Arc::clone(&queries), Arc::clone(&serving), explorer_options(&settings, address));
    tokio::spawn(explorer.measuring());
    let explorer = explorer.beside(Arc::clone(&api));
    let rest = Mounts::new(Arc::clone(&api)).mount("gremlin", gremlin.clone().beside(api)).mount("db", query_api);
    let rest = rest
        .mount(ExplorerApi::SEGMENT, explorer)
        .mount(web_ui::SEGMENT, Explorer::embedded())
        .front_page(web_ui::FRONT_PAGE);
    let rest = rest.hosts(hosts(&settings.server, &settings.server.listen));
    let connections = connection_options(&settings, workers.clone(), tls.clone())?;
    if let Some(tls) = &tls {
        super::tls::measure(tls, &serving.metrics);
    }
    let serve_rest = http_server::serve(listener, rest, Arc::clone(&serving), connections.clone(), shutdown(), grace);
    let serve_gremlin = async {
        let Some(listener) = gremlin_listener else { return Ok(()) };
        let mounts = Mounts::new(Arc::new(NotThere)).mount("gremlin", gremlin);
        let mounts = mounts.hosts(hosts(&settings.server, &settings.gremlin.listen));
        http_server::serve(listener, mounts, serving, connections, shutdown(), grace).await
    };
    let bolt = bolt_options(&settings, address, workers, tls);
    let serve_bolt = async {
        let Some(listener) = bolt_listener else { return Ok(()) };
        bolt_server::serve(listener, transactions, users, bolt, shutdown(), grace).await
    };
    let ((), rest, gremlin, bolt) = tokio::join!(signals, serve_rest, serve_gremlin, serve_bolt);
    rest?;
    gremlin?;
    bolt?;
    // What was written last is archived before the server ends.
    tokio::task::spawn_blocking(move || drop(archiver)).await?;
    let synced = tokio::task::spawn_blocking(move || store.engine().sync()).await?;
    synced.context("writing the last changes to disk")?;
    tokio::task::spawn_blocking(move || audit.flush_blocking()).await?;
    tokio::task::spawn_blocking(move || traces.stop(LAST_SPANS_TIME_MAX)).await?;
    tracing::info!("stopped");
    Ok(())
}

/// Waits for a part of the start, and meanwhile answers that the server is not ready.
async fn while_starting<T>(listener: &TcpListener, work: impl Future<Output = T>) -> T {
    tokio::select! {
        done = work => done,
        () = http_server::answer_starting(listener, "the server is starting: the store is being opened") => {
            // It ends by being dropped only.
            std::future::pending().await
        }
    }
}

/// Tells systemd how far the server is (`Type=notify`); without it nothing happens.
fn tell_service_manager(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "the service manager (NOTIFY_SOCKET) cannot be told how far the server is");
    }
}

fn start_traces(settings: &Settings) -> anyhow::Result<Traces> {
    let TracesSettings { endpoint, sample_ratio, query_text } = settings.traces.clone();
    if endpoint.is_empty() {
        return Ok(Traces::off());
    }
    let options =
        traces::Options { endpoint, sample_ratio, has_query_text: query_text, version: env!("CARGO_PKG_VERSION") };
    Ok(Traces::start(&options, Handle::current())?)
}

fn open_store(settings: &Settings, jobs: JobRegistry, is_traced: bool) -> anyhow::Result<Store> {
    let mut engine = match settings.backup.archive_interval_ms {
        0 => engine::open(&settings.storage)?,
        _ => engine::open_keeping_log(&settings.storage, settings.backup.archive_queue_bytes_max.as_u64())?,
    };
    if is_traced {
        engine = Arc::new(TracedEngine::new(engine));
    }
    Ok(Store::open_with_jobs(engine, settings.store_options()?, jobs)?)
}

/// Where backups are, and how a restored one is opened.
fn backup_options(settings: &Settings) -> anyhow::Result<backup_service::Options> {
    let place = settings.backup.repository.trim_start_matches("file://");
    if !place.is_empty() && settings.storage.engine == EngineName::Rocksdb {
        let (place, data) = (std::path::absolute(place)?, std::path::absolute(&settings.storage.data_dir)?);
        if place.starts_with(&data) || data.starts_with(&place) {
            bail!(
                "setting 'backup.repository' is '{}', which overlaps the data folder {}; use another place",
                settings.backup.repository,
                data.display()
            );
        }
    }
    let mut restored = settings.clone();
    // Memory for one that reads the copy of a graph.
    restored.storage.engine = EngineName::Rocksdb;
    restored.storage.rocksdb.memory_budget = bytesize::ByteSize::mib(64);
    restored.storage.rocksdb.row_cache = bytesize::ByteSize(0);
    restored.storage.adjacency_cache = bytesize::ByteSize(0);
    let secret = if settings.backup.repository.is_empty() { None } else { settings.backup.secret()? };
    Ok(backup_service::Options {
        location: settings.backup.repository.clone(),
        secret,
        scratch: settings.storage.data_dir.join("restores"),
        niceness: settings.backup.niceness,
        open: Box::new(move |folder| {
            let mut of_folder = restored.clone();
            folder.clone_into(&mut of_folder.storage.data_dir);
            let engine = engine::open(&of_folder.storage)?;
            let failed = |error: rhizome::settings::SettingsError| graph_store::StoreError::JobFailed {
                kind: graph_model::ErrorKind::Internal,
                message: error.to_string(),
            };
            let mut options = of_folder.store_options().map_err(failed)?;
            options.purge.interval = None;
            Store::open(engine, options)
        }),
    })
}

/// Refuses to serve others without knowing who they are, unless that is said.
fn check_openness(settings: &Settings, is_said: bool) -> anyhow::Result<()> {
    if settings.auth.enabled {
        return Ok(());
    }
    let gremlin = settings.gremlin.enabled.then_some((&settings.gremlin.listen, &GREMLIN));
    let bolt = settings.bolt.enabled.then_some((&settings.bolt.listen, &BOLT));
    for (address, of) in std::iter::once((&settings.server.listen, &REST)).chain(gremlin).chain(bolt) {
        let mut resolved = address.to_socket_addrs().into_iter().flatten();
        if resolved.all(|address| address.ip().is_loopback()) {
            continue;
        }
        if !is_said {
            bail!(
                "setting '{}' is '{address}', which others can reach, but requests need no credentials: either set \
                 auth.enabled = true (RHIZOME__AUTH__ENABLED=true), or say --insecure-no-auth, with which anyone who \
                 can reach the port can read and change every graph",
                of.setting
            );
        }
        tracing::warn!("anyone who can reach {address} can read and change every graph (--insecure-no-auth)");
    }
    Ok(())
}

/// A listener's settings, for errors.
struct Listening {
    setting: &'static str,
    example: &'static str,
    /// How to choose another port.
    other: &'static str,
}

const REST: Listening =
    Listening { setting: "server.listen", example: "127.0.0.1:8080", other: "choose another port with --listen" };
const BOLT: Listening = Listening {
    setting: "bolt.listen",
    example: "127.0.0.1:7687",
    other: "choose another port with the setting bolt.listen (RHIZOME__BOLT__LISTEN=127.0.0.1:17687), or switch it off \
            with RHIZOME__BOLT__ENABLED=false",
};
const GREMLIN: Listening = Listening {
    setting: "gremlin.listen",
    example: "127.0.0.1:8182",
    other: "choose another port with the setting gremlin.listen (RHIZOME__GREMLIN__LISTEN=127.0.0.1:18182), or switch \
            it off with RHIZOME__GREMLIN__ENABLED=false",
};

fn listen(address: &str, of: &Listening) -> anyhow::Result<TcpListener> {
    let Listening { setting, example, other } = of;
    let resolved: SocketAddr = address.to_socket_addrs().ok().and_then(|mut found| found.next()).ok_or_else(|| {
        anyhow!("setting '{setting}' is '{address}': expected an address and a port, such as {example}")
    })?;
    let socket = if resolved.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    if let Err(error) = socket.bind(resolved) {
        match error.kind() {
            std::io::ErrorKind::AddrInUse => bail!(
                "port {} at {} is taken by another program; stop that one, or {other}",
                resolved.port(),
                resolved.ip()
            ),
            std::io::ErrorKind::PermissionDenied => {
                bail!("not allowed to listen at {resolved}: ports below 1024 need privileges; {other}")
            }
            _ => return Err(error).with_context(|| format!("listening at {resolved}")),
        }
    }
    socket.listen(LISTEN_BACKLOG).with_context(|| format!("listening at {resolved}"))
}

fn announce(settings: &Settings, address: SocketAddr, gremlin: Option<SocketAddr>, bolt: Option<SocketAddr>) {
    let Schemes { http, web_socket, bolt: direct, neo4j: routed } = Schemes::of(settings);
    if let Some(bolt) = bolt {
        tracing::info!("Cypher for drivers at {direct}://{bolt} and {routed}://{bolt}");
    }
    if let Some(gremlin) = gremlin {
        tracing::info!("Gremlin for drivers at {web_socket}://{gremlin}/gremlin");
    }
    if Explorer::embedded().is_built() {
        tracing::info!("explorer at http://{address}{}", web_ui::FRONT_PAGE);
    } else {
        tracing::info!("without the explorer, which `make build` adds");
    }
    let storage = &settings.storage;
    match storage.engine {
        EngineName::Memory => {
            tracing::info!("listening at {http}://{address}, data in memory only: it is gone when the server stops");
        }
        EngineName::Tikv => {
            let tikv = &storage.tikv;
            tracing::info!("listening at {http}://{address}");
            tracing::info!("data in TiKV, PD at {}, prefix {}", tikv.pd_endpoints.join(", "), tikv.prefix);
        }
        EngineName::Rocksdb => {
            let data = std::path::absolute(&storage.data_dir).unwrap_or_else(|_| storage.data_dir.clone());
            let durability: DurabilityName = storage.durability;
            tracing::info!("listening at {http}://{address}");
            tracing::info!("data in {}", data.display());
            tracing::info!("durability {}", durability.promise());
        }
        EngineName::Cassandra => {
            let of = &storage.cassandra;
            tracing::info!("listening at {http}://{address}");
            tracing::info!("data in keyspace {} of the Cassandra cluster at {}", of.keyspace, of.contact_points);
        }
    }
}

/// Raises the limit of open files as far as allowed, and logs a warning if it remains too low for the settings.
fn raise_descriptor_limit(settings: &Settings) {
    let connections = u64::try_from(settings.server.connections_max).unwrap_or(u64::MAX);
    let needed = connections
        .saturating_add(u64::from(settings.storage.rocksdb.open_files_max))
        .saturating_add(OTHER_DESCRIPTORS);
    match rlimit::increase_nofile_limit(needed) {
        Ok(limit) if limit < needed => tracing::warn!(
            "this process may open {limit} files, but the settings need {needed}: raise `ulimit -n` or lower \
             server.connections_max"
        ),
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "cannot read the limit of open files"),
    }
}

/// The size of a setting in memory.
fn bytes(size: bytesize::ByteSize) -> usize {
    usize::try_from(size.as_u64()).unwrap_or(usize::MAX)
}

fn serving_options(server: &Server, workers: usize, remote: bool) -> serving::Options {
    serving::Options {
        requests_in_flight_max: server.requests_in_flight_max,
        bytes_in_flight_max: bytes(server.bytes_in_flight_max),
        threads: if remote { server.remote_threads } else { server.blocking_threads },
        waiting_queries_max: server.waiting_queries_max,
        waiting_writes_max: server.waiting_writes_max,
        query_niceness: server.query_niceness,
        attempt: Duration::from_micros(server.attempt_us),
        workers,
        remote,
        ..serving::Options::default()
    }
}

/// Names by which browsers may reach a listener.
fn hosts(server: &Server, listen: &str) -> Vec<String> {
    let own = listen.rsplit_once(':').map(|(host, _)| host.to_owned());
    server.hosts.iter().cloned().chain(own).collect()
}

fn connection_options(
    settings: &Settings,
    workers: Vec<Worker>,
    tls: Option<Arc<Tls>>,
) -> anyhow::Result<http_server::Options> {
    let server = &settings.server;
    Ok(http_server::Options {
        connections_max: server.connections_max,
        header_read_timeout: Duration::from_millis(server.header_read_timeout_ms),
        keep_alive_idle_timeout: Duration::from_millis(server.keep_alive_idle_timeout_ms),
        busy_poll: Duration::from_micros(server.busy_poll_us),
        workers,
        note_peers: settings.auth.enabled || !settings.audit.file.as_os_str().is_empty(),
        trusted_proxies: server.trusted_proxies()?,
        tls,
    })
}

fn query_options(settings: &Settings) -> query_service::Options {
    let gremlin = &settings.gremlin;
    query_service::Options {
        memory_max: gremlin.memory_max.as_u64(),
        sessions_max: gremlin.sessions_max,
        session_idle: Duration::from_millis(gremlin.session_idle_ms),
        slow_query: Duration::from_millis(gremlin.slow_query_ms),
        import_folders: settings.cypher.import_folders.clone(),
        csv_row_bytes_max: usize::try_from(settings.cypher.csv_row_bytes_max.as_u64()).unwrap_or(usize::MAX),
    }
}

fn transaction_options(settings: &Settings) -> cypher_session::Options {
    let bolt = &settings.bolt;
    cypher_session::Options {
        transactions_max: bolt.transactions_max,
        idle: Duration::from_millis(bolt.transaction_idle_ms),
        timeout: Duration::from_millis(bolt.query_timeout_ms),
    }
}

fn bolt_options(
    settings: &Settings,
    http: SocketAddr,
    workers: Vec<Worker>,
    tls: Option<Arc<Tls>>,
) -> bolt_server::Options {
    bolt_server::Options {
        connections_max: settings.server.connections_max,
        message_bytes_max: bytes(settings.server.request_body_bytes_max),
        http_address: format!("{}://{http}", Schemes::of(settings).http),
        workers,
        tls,
    }
}

fn explorer_options(settings: &Settings, address: SocketAddr) -> explorer_api::Options {
    let has_tls = settings.tls.files().is_some();
    let load_tests = match (settings.ui.load_test, has_tls) {
        (false, _) => LoadTests::Off,
        (true, true) => LoadTests::Encrypted,
        (true, false) => LoadTests::At(address),
    };
    explorer_api::Options {
        load_tests,
        time_max: Duration::from_millis(settings.server.request_timeout_ms),
        body_bytes_max: bytes(settings.server.request_body_bytes_max),
        has_tls,
    }
}

fn query_api_options(settings: &Settings) -> query_api::Options {
    query_api::Options {
        request_bytes_max: bytes(settings.server.request_body_bytes_max),
        response_bytes_max: bytes(settings.graph.response_bytes_max),
        body_time_max: Duration::from_millis(settings.server.request_timeout_ms),
    }
}

fn gremlin_options(settings: &Settings, users: Arc<dyn Authenticate>) -> gremlin_server::Options {
    gremlin_server::Options {
        timeout: Duration::from_millis(settings.gremlin.evaluation_timeout_ms),
        request_bytes_max: bytes(settings.server.request_body_bytes_max),
        response_bytes_max: bytes(settings.graph.response_bytes_max),
        users,
    }
}

fn api_options(settings: &Settings, accounts: Option<Arc<Accounts>>, backups: Arc<Backups>) -> ApiOptions {
    let (server, graph) = (&settings.server, &settings.graph);
    ApiOptions {
        limits: Limits {
            request_body_bytes_max: bytes(server.request_body_bytes_max),
            response_bytes_max: bytes(graph.response_bytes_max),
            request_timeout_ms: server.request_timeout_ms,
            batch_vertices_max: graph.batch_vertices_max,
            batch_edges_max: graph.batch_edges_max,
            list_limit_default: graph.list_limit_default,
            traversal_memory_bytes_max: bytes(server.traversal_memory_bytes_max),
            freeze_seconds_max: settings.cluster.freeze_seconds_max,
        },
        accounts,
        backups: Some(backups),
        slow_request: Duration::from_millis(settings.log.slow_request_ms),
        ..ApiOptions::default()
    }
}
