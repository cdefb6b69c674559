//! Users from the command line: the first administrator's password, and a new one where it is lost.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ::audit::{Class, Event, Subject};
use anyhow::{Context as _, bail};
use auth::{Accounts, Options};
use clap::{Args, Subcommand};
use graph_host::Store;
use rhizome::engine;
use rhizome::settings::{EngineName, Settings};
use serving::{DiskSpace, QuotaOptions, Watch};

/// A variable with the password of the administrator.
const PASSWORD: &str = "RHIZOME_ADMIN_PASSWORD";
/// A variable with the name of a file that has it.
const PASSWORD_FILE: &str = "RHIZOME_ADMIN_PASSWORD_FILE";
/// The file in the data folder that a generated one is written to.
const WRITTEN_TO: &str = "admin-password";
/// Letters and digits of a generated one: about 143 bits.
const GENERATED_CHARS: usize = 24;

#[derive(Args)]
pub(super) struct AuthArguments {
    #[command(subcommand)]
    command: AuthCommand,
}

#[derive(Subcommand)]
enum AuthCommand {
    /// Give the administrator a new password. It opens the store itself, so no server may be using the data folder.
    ResetAdmin(StoreArguments),
}

#[derive(Args)]
struct StoreArguments {
    /// Data folder [default: rhizome-data].
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Settings file (TOML), as for `rhizome serve`.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

pub(super) fn auth(arguments: &AuthArguments) -> anyhow::Result<()> {
    let AuthCommand::ResetAdmin(arguments) = &arguments.command;
    let data = arguments.data.as_ref().map(|path| ("storage.data_dir", path.display().to_string()));
    let settings = Settings::load(arguments.config.as_deref(), data.as_slice())?;
    super::logging::start(&settings.log)?;
    if settings.storage.engine == EngineName::Rocksdb && !settings.storage.data_dir.is_dir() {
        bail!("there is no data folder {}; name it with --data", settings.storage.data_dir.display());
    }
    let store = Arc::new(Store::open(engine::open(&settings.storage)?, settings.store_options()?)?);
    let accounts = open_as_is(&settings, &store)?;
    match given()? {
        Some(password) => accounts.set_admin_password(&password)?,
        None => {
            let password = Accounts::generate_password(GENERATED_CHARS);
            accounts.set_admin_password(&password)?;
            show(&settings, &password)?;
        }
    }
    accounts.store().engine().sync()?;
    record_reset(&settings)?;
    super::terminal::print("the administrator 'admin' has a new password; its tokens have ended\n")
}

/// Records that somebody with the right to the files has done it.
fn record_reset(settings: &Settings) -> anyhow::Result<()> {
    let audit = super::audit::open(settings)?;
    let watch = Watch::new(audit.clone(), QuotaOptions::default(), DiskSpace::unwatched());
    let subject = || Subject { proof: "none", protocol: "cli", ..Subject::default() };
    let mut watched = watch.record(Class::Users, || Event {
        target: Some("admin".to_owned()),
        ..Event::new(Class::Users, "auth reset-admin", subject())
    });
    watched.succeed();
    audit.flush_blocking();
    Ok(())
}

/// How users are kept.
fn options(settings: &Settings, store: &Store) -> Options {
    let is_shared = store.engine().capabilities().shared;
    Options {
        password_length_min: settings.auth.password_length_min,
        token_seconds: i64::try_from(settings.auth.token_seconds).unwrap_or(i64::MAX),
        conditions: rest_api::CONDITIONS,
        stale: is_shared.then(|| Duration::from_millis(settings.cluster.stale_ms)),
    }
}

/// The users of a store as they are, with or without an administrator.
pub(super) fn open_as_is(settings: &Settings, store: &Arc<Store>) -> anyhow::Result<Accounts> {
    Ok(Accounts::open(Arc::clone(store), options(settings, store))?)
}

/// The users of a store, with an administrator.
pub(super) fn open(settings: &Settings, store: &Arc<Store>) -> anyhow::Result<Arc<Accounts>> {
    let mut accounts = Accounts::open(Arc::clone(store), options(settings, store))?;
    if let Some(issuer) = settings.auth.oidc.options() {
        tracing::info!(issuer = issuer.issuer, "tokens of an issuer of OpenID Connect are taken");
        accounts = accounts.with_issuer(Arc::new(oidc::Verifier::new(issuer)?));
    }
    if accounts.has_admin() {
        return Ok(Arc::new(accounts));
    }
    if let Some(password) = given()? {
        accounts.create_admin(&password)?;
        tracing::info!("made the administrator 'admin' with the password that was given");
        return Ok(Arc::new(accounts));
    }
    if settings.storage.engine != EngineName::Rocksdb {
        bail!(
            "there is no administrator yet: give its password in {PASSWORD} or, in a file, in {PASSWORD_FILE} (with \
             this storage engine there is no data folder that a generated one could be written to)"
        );
    }
    let password = Accounts::generate_password(GENERATED_CHARS);
    if accounts.create_admin(&password)? {
        show(settings, &password)?;
    }
    Ok(Arc::new(accounts))
}

/// The password in the environment, or in the file it names.
fn given() -> anyhow::Result<Option<String>> {
    if let Some(path) = std::env::var_os(PASSWORD_FILE) {
        let path = Path::new(&path);
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("reading the file {} that {PASSWORD_FILE} names", path.display()))?;
        let password = text.trim_end_matches(['\n', '\r']);
        if password.is_empty() {
            bail!("the file {} that {PASSWORD_FILE} names is empty", path.display());
        }
        return Ok(Some(password.to_owned()));
    }
    Ok(std::env::var(PASSWORD).ok().filter(|password| !password.is_empty()))
}

/// Writes a generated password where only the owner of the server can read it, and shows it once where somebody is
/// looking. It is never in the log.
fn show(settings: &Settings, password: &str) -> anyhow::Result<()> {
    let path = settings.storage.data_dir.join(WRITTEN_TO);
    // The rights are those of a new file only.
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => {}
    }
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    writeln!(file, "{password}")?;
    file.sync_all()?;
    tracing::info!("generated a password for the administrator 'admin'; it is in {}", path.display());
    if console::user_attended_stderr() {
        writeln!(std::io::stderr(), "\n  user: admin\n  password: {password}\n  (shown this once)\n")?;
    }
    Ok(())
}

/// Has a server over a shared store follow changes that others make to users and rights.
pub(super) fn follow(accounts: &Arc<Accounts>, settings: &Settings) -> anyhow::Result<()> {
    if !accounts.store().engine().capabilities().shared {
        return Ok(());
    }
    let (accounts, pause) = (Arc::downgrade(accounts), Duration::from_millis(settings.cluster.refresh_ms));
    let follow = move || {
        while let Some(accounts) = accounts.upgrade() {
            if let Err(error) = accounts.refresh() {
                tracing::warn!(%error, "users and rights could not be read again");
            }
            drop(accounts);
            std::thread::sleep(pause);
        }
    };
    std::thread::Builder::new().name("users".to_owned()).spawn(follow).context("starting a thread")?;
    Ok(())
}
