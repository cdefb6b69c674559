//! A real server process for tests: the built binary, a port of its own, its log kept for failures.
#![allow(dead_code, clippy::print_stdout, reason = "each test file uses a part of this")]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use api_client::{Client, ClientOptions, RetryPolicy};

/// Many times what a line of the log needs to get from a server to its test.
const LOGGED_WITHIN: Duration = Duration::from_secs(60);

/// A running `rhizome serve`; killed when dropped.
pub(crate) struct Server {
    child: Child,
    /// Where it listens, as a URL.
    pub(crate) url: String,
    /// Where it listens for Bolt, as host and port.
    pub(crate) bolt: String,
    /// Where it listens for Gremlin, as host and port.
    pub(crate) gremlin: String,
    /// The lines of its log so far.
    log: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server over a data folder and waits until it listens.
    pub(crate) fn start(data: &Path, arguments: &[&str]) -> Self {
        Self::start_with(data, arguments, &[])
    }

    /// The same with variables of the environment.
    pub(crate) fn start_with(data: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let child = command()
            // Other tests run meanwhile, and long reads would stand back for them.
            .env("RHIZOME__SERVER__QUERY_NICENESS", "0")
            .envs(variables.iter().copied())
            .args(["serve", "--listen", "127.0.0.1:0", "--set", "graph.time_zone=UTC"])
            .args(["--set", "gremlin.listen=127.0.0.1:0", "--set", "bolt.listen=127.0.0.1:0", "--data"])
            .arg(data)
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // From here on the process is ended whatever happens below.
        let (url, bolt, gremlin) = (String::new(), String::new(), String::new());
        let mut server = Self { child, url, bolt, gremlin, log: Arc::default() };
        let (lines, listening) = mpsc::channel();
        let stderr = BufReader::new(server.child.stderr.take().unwrap());
        // Reads to the end, so that the server never waits for a full pipe.
        let kept = Arc::clone(&server.log);
        std::thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                kept.lock().unwrap().push(line.clone());
                drop(lines.send(line));
            }
        });
        let mut seen = Vec::new();
        loop {
            let line = listening.recv_timeout(Duration::from_secs(120));
            let Ok(line) = line else { panic!("the server did not start: {seen:#?}") };
            if let Some((_, bolt)) = line.split_once("Cypher for drivers at ") {
                let (_, bolt) = bolt.split_once("://").unwrap();
                server.bolt = bolt.split(' ').next().unwrap().to_owned();
            }
            if let Some((_, gremlin)) = line.split_once("Gremlin for drivers at ") {
                let (_, gremlin) = gremlin.split_once("://").unwrap();
                server.gremlin = gremlin.split('/').next().unwrap().to_owned();
            }
            if let Some((_, url)) = line.split_once("listening at ") {
                server.url = url.split([',', ' ', '"']).next().unwrap().to_owned();
                return server;
            }
            seen.push(line);
        }
    }

    /// Where it listens for REST, as host and port.
    pub(crate) fn rest(&self) -> &str {
        self.url.split_once("://").unwrap().1
    }

    /// What it has logged.
    pub(crate) fn log(&self) -> String {
        self.log_lines().join("\n")
    }

    /// The lines of its log so far.
    pub(crate) fn log_lines(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    /// Waits for a line of its log that has all of these: an answer can be here before what was logged meanwhile.
    #[track_caller]
    pub(crate) fn logged(&self, parts: &[&str]) -> String {
        let began = Instant::now();
        loop {
            let lines = self.log_lines();
            if let Some(line) = lines.iter().find(|line| parts.iter().all(|part| line.contains(part))) {
                return line.clone();
            }
            assert!(began.elapsed() < LOGGED_WITHIN, "no line with {parts:?} in {lines:#?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Ends it at once, as a crash of the process does.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to stop, and waits.
    pub(crate) fn stop(mut self) -> ExitStatus {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        self.child.wait().unwrap()
    }

    /// A client of it that never tries twice.
    pub(crate) async fn client(&self) -> Client {
        let options = ClientOptions { url: self.url.clone(), retry: RetryPolicy::never(), ..ClientOptions::default() };
        Client::connect(options).await.unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The built binary, without settings from the environment of the tests.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rhizome"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("RHIZOME__")) {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

/// Runs the binary to its end; its exit status, standard output and standard error.
pub(crate) fn run(arguments: &[&str]) -> (ExitStatus, String, String) {
    let output = command().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status, text(output.stdout), text(output.stderr))
}

/// Real graph data that tests use when it is there; `None` with a message otherwise.
pub(crate) fn optional_data(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("RHIZOME_TEST_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"), PathBuf::from);
    let folder = root.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: the optional data set {name} is not in {} (set RHIZOME_TEST_DATA)", root.display());
    None
}
