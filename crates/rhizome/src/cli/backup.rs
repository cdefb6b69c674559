//! `rhizome backup`: makes backups of a store, shows, verifies and removes them, and restores one into a folder.

mod deep;
mod moment;
mod progress;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, bail};
use api_client::{Client, ClientOptions};
use backup::{CreateOptions, Depth, Keep, Repository, StoredLog, Target, moment_text};
use bytesize::ByteSize;
use clap::{Args, Subcommand};
use client_arguments::LoginArguments;
use rhizome::engine;
use rhizome::settings::{EngineName, Settings};

use self::progress::{bar, show};

/// How long the command waits for a server's task: it can be looked up later.
const TASK_TIME_MAX: Duration = Duration::from_secs(7 * 24 * 3600);

#[derive(Args)]
#[command(arg_required_else_help = true)]
pub(super) struct BackupArguments {
    #[command(subcommand)]
    command: BackupCommand,
}

#[derive(Subcommand)]
enum BackupCommand {
    /// Make a backup: of a data folder that no server is using, or by a running server.
    Create(CreateArguments),
    /// Show the backups in a repository, oldest first.
    List(PlaceArguments),
    /// Verify that everything backups need is there and unchanged.
    Verify(VerifyArguments),
    /// Remove backups that no rule keeps, and what only they needed.
    Prune(PruneArguments),
    /// Write a backup into a new data folder.
    Restore(RestoreArguments),
    /// Have all servers over a cluster stop writing, while its own tools take a snapshot of all nodes.
    Freeze(FreezeArguments),
    /// Have them write again, and say whether the snapshots are of one moment.
    Thaw(ServerArguments),
}

#[derive(Args)]
struct PlaceArguments {
    /// Folder of the backups, or of a bucket: s3://BUCKET/FOLDER, gs://BUCKET/FOLDER, az://CONTAINER/FOLDER
    /// [default: the setting backup.repository].
    #[arg(long, value_name = "PLACE")]
    repository: Option<String>,
    /// File with the key of an encrypted repository [default: the setting backup.key_file]. A passphrase is given in
    /// RHIZOME_BACKUP_PASSPHRASE, or in a file named by RHIZOME_BACKUP_PASSPHRASE_FILE.
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Settings file (TOML), as for `rhizome serve`.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Args)]
struct CreateArguments {
    #[command(flatten)]
    place: PlaceArguments,
    /// Data folder [default: rhizome-data].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Have this running server make the backup, in the repository of its own settings; an administrator has to log in.
    #[arg(long, value_name = "URL", conflicts_with_all = ["data", "repository", "key_file"])]
    server: Option<String>,
    #[command(flatten)]
    login: LoginArguments,
    /// Read all files, also those that the newest backup has.
    #[arg(long)]
    reread: bool,
}

#[derive(Args)]
struct VerifyArguments {
    /// Backup to verify, or "latest" [default: all].
    #[arg(value_name = "BACKUP")]
    backup: Option<String>,
    #[command(flatten)]
    place: PlaceArguments,
    /// Only look whether everything is there with its length, without reading it.
    #[arg(long, conflicts_with = "deep")]
    quick: bool,
    /// Also restore the backup (the newest one, if none is named) for a while, read every row and verify every index.
    #[arg(long)]
    deep: bool,
    /// Folder with room for the restored store, for --deep [default: the system's folder for temporary files].
    #[arg(long, value_name = "DIR", requires = "deep")]
    scratch: Option<PathBuf>,
}

#[derive(Args)]
struct PruneArguments {
    #[command(flatten)]
    place: PlaceArguments,
    /// Keep the N newest backups.
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep_last: usize,
    /// Keep the newest backup of each of N days.
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep_daily: usize,
    /// Keep the newest backup of each of N weeks.
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep_weekly: usize,
    /// Keep the newest backup of each of N months.
    #[arg(long, value_name = "N", default_value_t = 0)]
    keep_monthly: usize,
    /// Keep the log of N days, to restore any moment of them [default: as far as the kept backups reach].
    #[arg(long, value_name = "N", default_value_t = 0)]
    log_days: usize,
    /// Only say what would be removed.
    #[arg(long)]
    dry_run: bool,
}

#[derive(Args)]
struct RestoreArguments {
    /// Backup to restore.
    #[arg(value_name = "BACKUP", default_value = "latest")]
    backup: String,
    #[command(flatten)]
    place: PlaceArguments,
    /// Data folder to write into; it must be empty or not there.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Restore what was stored at this moment, such as 2026-11-25T18:00:00.500Z, from the log after the backup (the
    /// newest one before it, if none is named); "newest": all there is.
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
}

#[derive(Args)]
struct ServerArguments {
    /// One of the servers, the same for both commands; an administrator has to log in.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    server: String,
    #[command(flatten)]
    login: LoginArguments,
}

#[derive(Args)]
struct FreezeArguments {
    #[command(flatten)]
    server: ServerArguments,
    /// How long at most: after it, the servers write again by themselves. From 1 to 3600.
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
}

pub(super) fn backup(arguments: &BackupArguments) -> anyhow::Result<()> {
    match &arguments.command {
        BackupCommand::Create(arguments) => create(arguments),
        BackupCommand::List(arguments) => list(arguments),
        BackupCommand::Verify(arguments) => verify(arguments),
        BackupCommand::Prune(arguments) => prune(arguments),
        BackupCommand::Restore(arguments) => restore(arguments),
        BackupCommand::Freeze(arguments) => freeze(arguments),
        BackupCommand::Thaw(arguments) => thaw(arguments),
    }
}

impl PlaceArguments {
    fn settings(&self, data: Option<&Path>) -> anyhow::Result<Settings> {
        let text = |path: &Path| path.display().to_string();
        let given = [
            ("backup.repository", self.repository.clone()),
            ("backup.key_file", self.key_file.as_deref().map(text)),
            ("storage.data_dir", data.map(text)),
        ];
        let flags: Vec<(&str, String)> =
            given.into_iter().filter_map(|(key, value)| value.map(|value| (key, value))).collect();
        let settings = Settings::load(self.config.as_deref(), &flags)?;
        super::logging::start(&settings.log)?;
        Ok(settings)
    }

    fn open(&self) -> anyhow::Result<(Repository, Settings)> {
        let settings = self.settings(None)?;
        let target = target(&settings, false)?;
        Ok((Repository::open(target, settings.backup.secret()?.as_ref())?, settings))
    }
}

fn target(settings: &Settings, make: bool) -> anyhow::Result<Target> {
    if settings.backup.repository.is_empty() {
        bail!("no repository of backups is named: use --repository PLACE, or the setting backup.repository");
    }
    Ok(Target::open(&settings.backup.repository, make)?)
}

fn create(arguments: &CreateArguments) -> anyhow::Result<()> {
    if let Some(server) = &arguments.server {
        return create_by(server, arguments);
    }
    let settings = arguments.place.settings(arguments.data.as_deref())?;
    let data = &settings.storage.data_dir;
    if settings.storage.engine != EngineName::Rocksdb {
        bail!(
            "backups are made of the files of engine \"rocksdb\", but the settings say another; copy the graphs to a \
             data folder with 'rhizome copy' first"
        );
    }
    if !data.is_dir() {
        bail!("there is no data folder {}; name it with --data", data.display());
    }
    let target = target(&settings, true)?;
    check_apart(data, &target)?;
    let repository = Repository::open_or_make(target, settings.backup.secret()?.as_ref())?;
    let engine = engine::open(&settings.storage).context(
        "opening the data folder (to have a running server make the backup, use --server URL instead of --data)",
    )?;
    let bar = bar("backup")?;
    let options = CreateOptions { reread: arguments.reread };
    let made = backup_service::back_up(&*engine, &repository, options, None, &|at| show(&bar, at));
    bar.finish_and_clear();
    let made = made?;
    super::terminal::print(&format!(
        "backup {} of {} made: {} in {} files, {} new in the repository{}\n",
        made.manifest.id,
        data.display(),
        ByteSize(made.manifest.bytes()),
        made.manifest.files.len(),
        ByteSize(made.manifest.new_bytes),
        if repository.is_encrypted() { "" } else { " (not encrypted)" }
    ))
}

/// A repository within the data, or the other way round, would be in each other's way.
fn check_apart(data: &Path, target: &Target) -> anyhow::Result<()> {
    let Some(folder) = target.folder() else { return Ok(()) };
    let (data, folder) = (data.canonicalize()?, folder.canonicalize()?);
    if data.starts_with(&folder) || folder.starts_with(&data) {
        bail!("the repository {} and the data folder {} overlap; use another place", folder.display(), data.display());
    }
    Ok(())
}

/// Has a server make a backup, and waits for it.
fn create_by(server: &str, arguments: &CreateArguments) -> anyhow::Result<()> {
    ask(server, &arguments.login, async |client, options| {
        let started = client.start_backup(arguments.reread).await?;
        // Its tasks are those of the server's default graph.
        let of_graph = Client::connect(ClientOptions { graph: started.graph, ..options }).await?;
        let wait_ms = u64::try_from(TASK_TIME_MAX.as_millis()).unwrap_or(u64::MAX);
        of_graph.wait_for_task(started.task_id, wait_ms).await?;
        let result = of_graph.task(started.task_id).await?.task_result.unwrap_or_default();
        super::terminal::print(&format!("the server has made a backup: {result}\n"))
    })
}

/// Asks a server for something, with a client and what it was made with.
fn ask<T>(
    server: &str,
    login: &LoginArguments,
    ask: impl AsyncFnOnce(Client, ClientOptions) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let options = login.with(ClientOptions { url: server.to_owned(), ..ClientOptions::default() });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("starting a runtime")?;
    runtime.block_on(async { ask(Client::connect(options.clone()).await?, options).await })
}

fn freeze(arguments: &FreezeArguments) -> anyhow::Result<()> {
    let seconds = arguments.seconds;
    let at = &arguments.server;
    ask(&at.server, &at.login, async |client, _| Ok(client.freeze(seconds).await?))?;
    super::terminal::print(&format!(
        "no server writes, for {seconds} s at most: take the snapshots of all nodes, then 'rhizome backup thaw'\n"
    ))
}

fn thaw(arguments: &ServerArguments) -> anyhow::Result<()> {
    if !ask(&arguments.server, &arguments.login, async |client, _| Ok(client.thaw().await?))? {
        bail!(
            "the servers write, but they may have before: the freeze was over, or another server began it. Snapshots \
             that were taken since are of no one moment; take them again, with more --seconds"
        );
    }
    super::terminal::print("the servers write again; none has since the freeze began\n")
}

fn list(arguments: &PlaceArguments) -> anyhow::Result<()> {
    let (repository, _) = arguments.open()?;
    let mut text = String::new();
    for listed in repository.list()? {
        text.push_str(&match listed.manifest {
            Ok(manifest) => format!(
                "{}  {}  {} ({} new)  graphs: {}\n",
                listed.id,
                manifest.created(),
                ByteSize(manifest.bytes()),
                ByteSize(manifest.new_bytes),
                manifest.graphs.join(", ")
            ),
            Err(error) => format!("{}  cannot be restored: {error}\n", listed.id),
        });
    }
    if text.is_empty() {
        text.push_str("no backups\n");
    }
    for log in repository.logs()? {
        text.push_str(&about_log(&log));
    }
    super::terminal::print(&text)
}

/// A line about a log.
fn about_log(log: &StoredLog) -> String {
    let continues = match &log.timeline {
        Ok(timeline) => match &timeline.parent {
            Some(parent) => format!(", continues {} from write {}", parent.timeline, parent.sequence),
            None => String::new(),
        },
        Err(error) => format!(", cannot be used: {error}"),
    };
    let until = log.until_ms().map_or("nothing yet".to_owned(), |until| format!("until {}", moment_text(until)));
    let end = log.end.as_ref().map_or(String::new(), |end| {
        format!("; ENDS at write {} ({}): {}", end.sequence, moment_text(end.at_ms), end.reason)
    });
    format!(
        "log {}  {until}, write {}, {} in {} segments{continues}{end}\n",
        log.id,
        log.reached(),
        ByteSize(log.bytes()),
        log.segments.len()
    )
}

fn verify(arguments: &VerifyArguments) -> anyhow::Result<()> {
    let (repository, settings) = arguments.place.open()?;
    let depth = if arguments.quick { Depth::Lengths } else { Depth::Content };
    let bar = bar("verifying")?;
    let found = repository.verify(arguments.backup.as_deref(), depth, &|at| show(&bar, at));
    bar.finish_and_clear();
    let found = found?;
    let mut text = format!(
        "{} backups, {} chunks of {} and {} segments of logs {}: ",
        found.backups,
        found.chunks,
        ByteSize(found.bytes),
        found.segments,
        if arguments.quick { "there" } else { "read" }
    );
    match found.problems_total {
        0 => text.push_str("all right\n"),
        count => text.push_str(&format!("{count} problems\n")),
    }
    for problem in &found.problems {
        text.push_str(&format!("  {}: {}; needed by {}\n", problem.object, problem.reason, problem.backups.join(", ")));
    }
    super::terminal::print(&text)?;
    if found.problems_total > 0 {
        bail!("{} objects of the repository are damaged or missing; make a new backup elsewhere", found.problems_total);
    }
    if arguments.deep {
        let manifest = repository.find(arguments.backup.as_deref().unwrap_or("latest"))?;
        deep::verify(&repository, &manifest, &settings, arguments.scratch.as_deref())?;
    }
    Ok(())
}

fn prune(arguments: &PruneArguments) -> anyhow::Result<()> {
    let (repository, _) = arguments.place.open()?;
    let keep = Keep {
        last: arguments.keep_last,
        daily: arguments.keep_daily,
        weekly: arguments.keep_weekly,
        monthly: arguments.keep_monthly,
        log_days: arguments.log_days,
    };
    let pruned = repository.prune(&keep, arguments.dry_run)?;
    let verb = if arguments.dry_run { "would be removed" } else { "removed" };
    let mut text = String::new();
    for id in &pruned.removed {
        text.push_str(&format!("{id}  {verb}\n"));
    }
    text.push_str(&format!(
        "{} backups {verb}, {} kept; {} chunks of {} and {} objects of logs {verb}\n",
        pruned.removed.len(),
        pruned.kept.len(),
        pruned.chunks,
        ByteSize(pruned.bytes),
        pruned.log_objects
    ));
    super::terminal::print(&text)
}

fn restore(arguments: &RestoreArguments) -> anyhow::Result<()> {
    let (repository, settings) = arguments.place.open()?;
    if let Some(to) = &arguments.to {
        let base = Some(arguments.backup.as_str()).filter(|backup| *backup != "latest");
        return moment::restore(&repository, settings, to, base, &arguments.data);
    }
    let manifest = repository.find(&arguments.backup)?;
    moment::check_format(&manifest)?;
    let bar = bar("restoring")?;
    let began = std::time::Instant::now();
    let restored = repository.restore(&manifest, &arguments.data, &|at| show(&bar, at));
    bar.finish_and_clear();
    let restored = restored?;
    let rate = restored.bytes as f64 / began.elapsed().as_secs_f64().max(0.001) / 1e6;
    super::terminal::print(&format!(
        "backup {} restored into {}: {} in {} files, every checksum verified, {rate:.0} MB/s\n",
        manifest.id,
        arguments.data.display(),
        ByteSize(restored.bytes),
        manifest.files.len()
    ))
}
