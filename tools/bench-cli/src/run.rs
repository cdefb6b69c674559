//! `rhizome bench run`: scenarios, one after another, against a given server or one started for the run.

use std::fs::File;
use std::io::BufWriter;

use anyhow::{Context as _, anyhow, bail};
use load_test::jtl::JtlWriter;
use load_test::report::Report;
use load_test::result::{RunResult, ScenarioResult, Target};
use load_test::{
    Cancel, DriverOptions, LoadTest, LoadTestError, Loads, Needs, Scenario, conclusions, machine, output, study, table,
};

use crate::arguments::{OwnServerArguments, RunArguments};
use crate::progress::Screen;
use crate::server::{OwnServer, ServerSettings};
use crate::storage::ReadStorage;
use crate::study::{Point, points};

pub(crate) fn run(arguments: &RunArguments, read_storage: ReadStorage) -> anyhow::Result<()> {
    let scenarios = arguments.data.scenarios(&arguments.scenario)?;
    let loads = arguments.stress.loads(&arguments.driver)?;
    loads.check(&arguments.driver.driver_options(None))?;
    arguments.data.data_options().check()?;
    let users = loads.users_max(&arguments.driver.driver_options(None));
    let common = own_settings(&arguments.own_server).for_users(users);
    let points = points(&arguments.study, &common)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("starting the runtime")?;
    let mut result = begun();
    let outcome = runtime.block_on(async {
        let signals = signals()?;
        let servers = Servers { read_storage, common: &common, points: &points };
        run_points(arguments, &scenarios, &loads, servers, &signals, &mut result).await
    });
    let outcome = complete(outcome, &result)?;
    if !arguments.study.is_empty() {
        let effect = study::effect(&result).unwrap_or_default().to_terminal();
        crate::terminal::print(&format!("Effect of the settings\n\n{effect}\n{}\n", study::LEGEND))?;
    }
    if let Some(folder) = &arguments.out {
        let report = Report { runs: std::slice::from_ref(&result), page: None, ratios: &[] };
        output::write(folder, &report)?;
    }
    outcome
}

/// What remains to be reported once the results of a run have been written: the outer error means there are none.
pub(crate) fn complete(outcome: anyhow::Result<()>, result: &RunResult) -> anyhow::Result<anyhow::Result<()>> {
    if result.scenarios.iter().all(|scenario| scenario.rows.is_empty()) {
        outcome?;
        bail!("interrupted before there was a result");
    }
    let failed = result.scenarios.iter().find_map(|scenario| Some((scenario, scenario.failure.as_ref()?)));
    Ok(match (outcome, failed) {
        (Ok(()), Some((scenario, failure))) => Err(anyhow!("{} ended early: {failure}", scenario.name)),
        (outcome, _) => outcome.context("the results so far are kept; what ended the run"),
    })
}

/// A run without results: only its time and machine are known.
pub(crate) fn begun() -> RunResult {
    RunResult {
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: jiff::Timestamp::now()
            .round(jiff::Unit::Second)
            .unwrap_or_else(|_| jiff::Timestamp::now())
            .to_string(),
        command_line: command_line(std::env::args()),
        machine: machine(),
        ..RunResult::default()
    }
}

/// Cancellation by signals: the first one ends the run and keeps the results so far, the second one skips the clean-up.
pub(crate) struct Signals {
    pub(crate) end: Cancel,
    pub(crate) hurry: Cancel,
}

impl Signals {
    /// Runs something that does not observe signals; `None` if one arrived first.
    pub(crate) async fn unless_ended<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            done = work => Some(done),
            () = self.end.cancelled() => None,
        }
    }
}

/// Listens for SIGINT, SIGTERM and SIGHUP.
pub(crate) fn signals() -> anyhow::Result<Signals> {
    use tokio::signal::unix::{SignalKind, signal};
    let signals = Signals { end: Cancel::default(), hurry: Cancel::default() };
    let (end, hurry) = (signals.end.clone(), signals.hurry.clone());
    let mut interrupt = signal(SignalKind::interrupt()).context("listening for Ctrl-C")?;
    let mut terminate = signal(SignalKind::terminate()).context("listening for SIGTERM")?;
    let mut hangup = signal(SignalKind::hangup()).context("listening for SIGHUP")?;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
            if end.is_cancelled() {
                hurry.cancel();
            }
            end.cancel();
        }
    });
    Ok(signals)
}

/// The servers of a run: their common settings, and the points of a study.
#[derive(Clone, Copy)]
struct Servers<'a> {
    read_storage: ReadStorage,
    common: &'a ServerSettings,
    points: &'a [Point],
}

async fn run_points(
    arguments: &RunArguments,
    scenarios: &[Scenario],
    loads: &Loads,
    servers: Servers<'_>,
    signals: &Signals,
    result: &mut RunResult,
) -> anyhow::Result<()> {
    let mut screen = None;
    let mut outcome = Ok(());
    for point in servers.points {
        if signals.end.is_cancelled() || outcome.is_err() {
            break;
        }
        outcome = run_point(arguments, scenarios, loads, (servers, point), signals, &mut screen, result).await;
    }
    result.interrupted = signals.end.is_cancelled();
    if let Some(Err(error)) = screen.map(Screen::finish) {
        let error = anyhow!(error).context(format!("writing {}", output::JTL_FILE));
        outcome = outcome.and(Err(error));
    }
    outcome
}

/// Runs all scenarios against the server of one point.
async fn run_point(
    arguments: &RunArguments,
    scenarios: &[Scenario],
    loads: &Loads,
    (servers, point): (Servers<'_>, &Point),
    signals: &Signals,
    screen: &mut Option<Screen>,
    result: &mut RunResult,
) -> anyhow::Result<()> {
    let server = match arguments.target.url {
        Some(_) => None,
        None => match signals.unless_ended(OwnServer::start(&point.server)).await {
            Some(started) => Some(started?),
            None => return Ok(()),
        },
    };
    let url = match (&arguments.target.url, &server) {
        (Some(url), _) => url.as_str(),
        (None, Some(server)) => server.url(),
        (None, None) => bail!("no server to test"),
    };
    let pid = arguments.target.server_pid.or(server.as_ref().map(OwnServer::pid));
    let connecting = LoadTest::connect(arguments.target.client_options(url), arguments.data.data_options());
    let mut test = match signals.unless_ended(connecting).await {
        Some(connected) => connected?,
        None => return Ok(()),
    };
    let screen = match screen {
        Some(screen) => screen,
        none => none.insert(Screen::new(jtl(arguments, url)?)?),
    };
    if result.target.url.is_empty() {
        // Only the common settings; those of a point are stored with its scenarios.
        result.target = with_own_settings(test.target(), servers.common, server.is_some(), servers.read_storage)?;
        result.target.notes.clone_from(&arguments.target.note);
        crate::terminal::print(&heading(&result.target))?;
    }
    let driver = arguments.driver.driver_options(pid);
    let job = Job { test: &mut test, scenarios, driver: &driver, loads, name: &point.name };
    let outcome = job.run(screen, &signals.end, &mut result.scenarios).await;
    if server.is_none() && !arguments.data.keep_data {
        clean_up(&mut test, &signals.hurry).await;
    }
    outcome
}

/// Deletes the test data unless interrupted again. Data left behind is reported, but does not fail the run.
pub(crate) async fn clean_up(test: &mut LoadTest, hurry: &Cancel) {
    let cleaned = tokio::select! {
        cleaned = test.clean_up() => cleaned.context("the test data is still on the server"),
        () = hurry.cancelled() => Err(anyhow!("interrupted again: the test data is still on the server")),
    };
    if let Err(error) = cleaned {
        crate::terminal::warn(&error);
    }
}

/// Runs all scenarios against one server.
struct Job<'a> {
    test: &'a mut LoadTest,
    scenarios: &'a [Scenario],
    driver: &'a DriverOptions,
    loads: &'a Loads,
    /// The point of a study, or empty.
    name: &'a str,
}

impl Job<'_> {
    async fn run(self, screen: &mut Screen, cancel: &Cancel, results: &mut Vec<ScenarioResult>) -> anyhow::Result<()> {
        let needs = self.scenarios.iter().fold(Needs::default(), |needs, scenario| needs.and(scenario.needs()));
        match self.test.prepare(needs, screen, cancel).await {
            Err(LoadTestError::Interrupted) => return Ok(()),
            prepared => prepared?,
        }
        for scenario in self.scenarios {
            if cancel.is_cancelled() {
                break;
            }
            // Renamed before it runs, so that its samples have the name too.
            let mut named = scenario.clone();
            named.name = format!("{} {}", scenario.name, self.name).trim_end().to_owned();
            let mut result = self.test.run(&named, self.driver, self.loads, screen, cancel).await?;
            result.point = self.name.to_owned();
            screen.print_above(&text_of(&result))?;
            results.push(result);
        }
        Ok(())
    }
}

/// A scenario's table and conclusions, for the terminal.
pub(crate) fn text_of(result: &ScenarioResult) -> String {
    let mut text = format!("{}\n\n{}\n", result.name, table::aggregate(result).to_terminal());
    if let Some(row) = table::best_row(result).filter(|row| !row.requests.is_empty()) {
        text.push_str(&format!("\n{}\n", table::by_request(row).to_terminal()));
    }
    for conclusion in conclusions::of(result) {
        text.push_str(&format!("{conclusion}\n"));
    }
    for error in result.rows.iter().flat_map(|row| &row.errors) {
        let example = error.examples.first().map_or("", String::as_str);
        text.push_str(&format!("{} {:?} errors, such as: {example}\n", error.count, error.class));
    }
    text.push('\n');
    text
}

fn heading(target: &Target) -> String {
    let mut text = match target.product.as_str() {
        // It reports the version of the API, not its own.
        "Rhizome" => format!("Rhizome (reports version {}) at {}", target.version, target.url),
        product => format!("{product} {} at {}", target.version, target.url),
    };
    for part in [&target.engine, &target.durability].into_iter().flatten() {
        text = format!("{text}, {part}");
    }
    format!("{text}\n\n")
}

fn jtl(arguments: &RunArguments, url: &str) -> anyhow::Result<Option<JtlWriter<BufWriter<File>>>> {
    Ok(arguments.out.as_deref().map(|folder| output::begin(folder, url)).transpose()?)
}

/// The settings of a server that the tool starts.
pub(crate) fn own_settings(arguments: &OwnServerArguments) -> ServerSettings {
    ServerSettings {
        engine: arguments.engine.clone(),
        durability: arguments.durability.clone(),
        data_in: arguments.data_in.clone(),
        settings: arguments.set.clone(),
        cpus: None,
    }
}

/// Adds to the target what is known about a server that the tool started.
pub(crate) fn with_own_settings(
    mut target: Target,
    server: &ServerSettings,
    is_own: bool,
    read_storage: ReadStorage,
) -> anyhow::Result<Target> {
    if !is_own {
        return Ok(target);
    }
    let mut flags = Vec::new();
    for (key, value) in [("storage.engine", &server.engine), ("storage.durability", &server.durability)] {
        if let Some(value) = value {
            flags.push((key, value.clone()));
        }
    }
    flags.extend(
        server
            .settings
            .iter()
            .filter_map(|setting| setting.split_once('='))
            .map(|(key, value)| (key, value.to_owned())),
    );
    let storage = read_storage(None, &flags)?;
    target.engine = Some(storage.engine);
    target.durability = storage.durability;
    target.settings.clone_from(&server.settings);
    Ok(target)
}

/// The command line, with passwords and tokens hidden.
fn command_line(words: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    let mut is_secret = false;
    for word in words {
        let shown = match word.split_once('=') {
            Some(("--password", _)) => "--password=(hidden)",
            Some(("--token", _)) => "--token=(hidden)",
            _ if is_secret => "(hidden)",
            // The location of the program does not matter to a reader.
            _ if text.is_empty() => word.rsplit_once('/').map_or(word.as_str(), |(_, name)| name),
            _ => word.as_str(),
        };
        is_secret = matches!(&*word, "--password" | "--token");
        if !text.is_empty() {
            text.push(' ');
        }
        let needs_quotes = shown.is_empty() || shown.contains([' ', '"', '$', '*', '&', ';']);
        text.push_str(&if needs_quotes { format!("'{shown}'") } else { shown.to_owned() });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_kept_without_its_password() {
        let words =
            ["/home/me/rhizome", "bench", "--password", "s3cret", "--password=s3cret", "--token", "s", "--token=s"];
        let words = words.into_iter().chain(["--set", "a=b c"]);
        let text = command_line(words.map(str::to_owned));
        let hidden = "--password (hidden) --password=(hidden) --token (hidden) --token=(hidden)";
        assert_eq!(text, format!("rhizome bench {hidden} --set 'a=b c'"));
    }
}
