//! A server started by the tool: another process of this program, as `rhizome serve`, with its data in a temporary
//! folder.
//!
//! It runs in its own process group, so that Ctrl-C stops the test and not the server.

use std::fs::File;
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use tempfile::TempDir;
use tokio::net::TcpStream;

/// Startup timeout. With an empty folder, startup takes far less than a second.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// Interval at which startup and shutdown are polled.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Time for a graceful shutdown before the server is killed; its data is not needed.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// Number of log lines shown if it does not start.
const LOG_LINES_SHOWN: usize = 5;

/// Settings of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServerSettings {
    pub(crate) engine: Option<String>,
    pub(crate) durability: Option<String>,
    /// Where the temporary folder is created.
    pub(crate) data_in: Option<PathBuf>,
    /// As `section.key=value`.
    pub(crate) settings: Vec<String>,
    /// Number of processors it may use; `None`: all.
    pub(crate) cpus: Option<usize>,
}

/// The setting for the number of connections.
const CONNECTIONS_KEY: &str = "server.connections_max";

/// Its default value.
const CONNECTIONS_DEFAULT: u32 = 16_000;

/// Connections in addition to those of the users: one that prepares and cleans up, and those being closed.
const OTHER_CONNECTIONS: u32 = 256;

impl ServerSettings {
    /// The same settings with room for the connections of this many users, unless the number was set explicitly.
    pub(crate) fn for_users(mut self, users: u32) -> Self {
        let needed = users.saturating_add(OTHER_CONNECTIONS);
        let is_chosen = self.settings.iter().any(|setting| setting.trim_start().starts_with(CONNECTIONS_KEY));
        if needed > CONNECTIONS_DEFAULT && !is_chosen {
            self.settings.push(format!("{CONNECTIONS_KEY}={needed}"));
        }
        self
    }
}

/// A running server. It is stopped when this is dropped.
#[derive(Debug)]
pub(crate) struct OwnServer {
    child: Child,
    url: String,
    /// Folder of its data and log; `None` once taken.
    folder: Option<TempDir>,
}

impl OwnServer {
    /// Starts a server and waits until it answers.
    pub(crate) async fn start(settings: &ServerSettings) -> anyhow::Result<Self> {
        let folder = match &settings.data_in {
            Some(parent) => tempfile::Builder::new().prefix("rhizome-bench").tempdir_in(parent),
            None => tempfile::Builder::new().prefix("rhizome-bench").tempdir(),
        };
        Self::start_in(folder.context("creating a temporary folder for the server's data")?, settings).await
    }

    async fn start_in(folder: TempDir, settings: &ServerSettings) -> anyhow::Result<Self> {
        // The port is free now; if another program takes it in the meantime, the server reports it.
        let port =
            TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).context("finding a free port")?.port();
        let program = std::env::current_exe().context("finding this program's own file")?;
        let log = File::create(folder.path().join("server.log")).context("making the server's log file")?;
        let mut command = Command::new(program);
        command.arg("serve").arg("--listen").arg(format!("127.0.0.1:{port}"));
        // Not the ports that every server would take.
        command.arg("--set").arg("gremlin.enabled=false").arg("--set").arg("bolt.enabled=false");
        command.arg("--data").arg(folder.path().join("data"));
        for (flag, value) in [("--engine", &settings.engine), ("--durability", &settings.durability)] {
            if let Some(value) = value {
                command.arg(flag).arg(value);
            }
        }
        for setting in &settings.settings {
            command.arg("--set").arg(setting);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).process_group(0);
        let child = spawn(command, settings.cpus)?;
        let mut server = Self { child, url: format!("http://127.0.0.1:{port}"), folder: Some(folder) };
        server.wait_until_up(port).await?;
        Ok(server)
    }

    /// Restarts it with the same data on another port. Returns the time from the start of the process to the first
    /// answer.
    pub(crate) async fn restart(self, settings: &ServerSettings) -> anyhow::Result<(Self, Duration)> {
        let folder = self.stop()?;
        let begin = Instant::now();
        let server = Self::start_in(folder, settings).await?;
        Ok((server, begin.elapsed()))
    }

    /// Its URL.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    async fn wait_until_up(&mut self, port: u16) -> anyhow::Result<()> {
        let started = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().context("checking on the server")? {
                bail!(
                    "the server exited during startup ({status}): {}",
                    self.folder
                        .as_ref()
                        .map(|folder| last_lines(&folder.path().join("server.log")))
                        .unwrap_or_default()
                );
            }
            if TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                return Ok(());
            }
            if started.elapsed() > START_TIMEOUT {
                bail!("the server has not started within {} s", START_TIMEOUT.as_secs());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}

impl OwnServer {
    /// Stops it and returns its folder.
    fn stop(mut self) -> anyhow::Result<TempDir> {
        let folder = self.folder.take();
        drop(self);
        folder.context("the folder of the server has been taken")
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        ask_to_stop(&self.child);
        let asked = Instant::now();
        while asked.elapsed() < STOP_TIMEOUT {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(LOOK_EVERY);
        }
        // Nothing more can be done if even the kill fails.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn last_lines(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines.get(lines.len().saturating_sub(LOG_LINES_SHOWN)..).unwrap_or_default().join(" | ")
}

#[cfg(target_os = "linux")]
fn ask_to_stop(child: &Child) {
    let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
    if let Some(pid) = pid {
        // An error means that the process has already ended.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_to_stop(_child: &Child) {}

/// Starts a program on the first `cpus` processors available to this one: a child inherits the affinity of the thread
/// that starts it, so a thread is created for that.
#[cfg(target_os = "linux")]
fn spawn(mut command: Command, cpus: Option<usize>) -> anyhow::Result<Child> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let Some(cpus) = cpus else { return command.spawn().context("starting the server") };
    let starter = std::thread::spawn(move || {
        let allowed = sched_getaffinity(None).context("asking for the processors of this program")?;
        let mut chosen = CpuSet::new();
        let numbers = (0..CpuSet::MAX_CPU).filter(|number| allowed.is_set(*number)).take(cpus);
        numbers.for_each(|number| chosen.set(number));
        if (chosen.count() as usize) < cpus {
            bail!("{cpus} processors were requested, but this program may use only {}", allowed.count());
        }
        sched_setaffinity(None, &chosen).context("choosing processors for the server")?;
        command.spawn().context("starting the server")
    });
    starter.join().unwrap_or_else(|_| bail!("the thread that starts the server panicked"))
}

#[cfg(not(target_os = "linux"))]
fn spawn(mut command: Command, cpus: Option<usize>) -> anyhow::Result<Child> {
    if cpus.is_some() {
        bail!("a study of processors needs Linux");
    }
    command.spawn().context("starting the server")
}

/// Keeps the calling thread, and those it starts, off the first `cpus` of its processors while the result is alive.
/// Does nothing if there are no others.
#[cfg(target_os = "linux")]
pub(crate) fn keep_off_first(cpus: usize) -> anyhow::Result<KeptOff> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let before = sched_getaffinity(None).context("asking for the processors of this program")?;
    let mut others = CpuSet::new();
    (0..CpuSet::MAX_CPU).filter(|number| before.is_set(*number)).skip(cpus).for_each(|number| others.set(number));
    if others.count() > 0 {
        sched_setaffinity(None, &others).context("choosing processors for the load generator")?;
    }
    Ok(KeptOff { before })
}

/// Restores the thread's affinity when dropped.
#[cfg(target_os = "linux")]
pub(crate) struct KeptOff {
    before: rustix::thread::CpuSet,
}

#[cfg(target_os = "linux")]
impl Drop for KeptOff {
    fn drop(&mut self) {
        // The affinity was valid before, so restoring it does not fail.
        let _ = rustix::thread::sched_setaffinity(None, &self.before);
    }
}

/// Does nothing on other systems.
#[cfg(not(target_os = "linux"))]
pub(crate) fn keep_off_first(_cpus: usize) -> anyhow::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_has_room_for_all_users() {
        let settings = |settings: &[&str], users| {
            let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
            ServerSettings { settings, ..ServerSettings::default() }.for_users(users).settings
        };
        assert!(settings(&[], 10_000).is_empty());
        assert_eq!(settings(&[], 20_000), ["server.connections_max=20256"]);
        assert_eq!(settings(&["server.connections_max=9"], 20_000), ["server.connections_max=9"]);
    }
}
