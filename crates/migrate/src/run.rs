//! A whole migration, step by step.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use api_client::{Client, ClientOptions, ElementKind};
use tokio::runtime::Runtime;

use crate::definitions::Definitions;
use crate::elements::{Digests, Forms, words};
use crate::error::MigrateError;
use crate::fetch::{Fetched, Shared, fetch};
use crate::journal::{Identity, Journal, Step};
use crate::limits::{PAGE_ELEMENTS_MAX, WARNINGS_MAX};
use crate::options::{MigrateObserver, MigrateOptions, StoreTarget};
use crate::server::OnServer;
use crate::store::InStore;
use crate::summary::{LabelComparison, MigrateSummary};
use crate::target::Target;
use crate::users;

/// Migrates a graph into a store that this process has open. An interrupted migration is continued.
///
/// # Errors
/// [`MigrateError`]. What was fetched stays in the work folder, and the same call goes on with it.
pub fn into_store(
    target: StoreTarget<'_>,
    options: &MigrateOptions,
    observer: &'static dyn MigrateObserver,
) -> Result<MigrateSummary, MigrateError> {
    let runtime = runtime()?;
    run(&mut InStore::new(target, &options.graph, observer), &runtime, options, observer)
}

/// Migrates a graph into a running server. An interrupted migration is continued. `in_flight`: requests at the same
/// time.
///
/// # Errors
/// As of [`into_store`].
pub fn into_server(
    target: ClientOptions,
    in_flight: usize,
    options: &MigrateOptions,
    observer: &'static dyn MigrateObserver,
) -> Result<MigrateSummary, MigrateError> {
    let runtime = runtime()?;
    let client =
        runtime.block_on(Client::connect(target)).map_err(MigrateError::server("connecting to the address"))?;
    run(&mut OnServer::new(client, &runtime, in_flight, observer), &runtime, options, observer)
}

fn runtime() -> Result<Runtime, MigrateError> {
    let built = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    built.map_err(|error| MigrateError::Worker(format!("starting the runtime: {error}")))
}

fn run(
    target: &mut dyn Target,
    runtime: &Runtime,
    options: &MigrateOptions,
    observer: &'static dyn MigrateObserver,
) -> Result<MigrateSummary, MigrateError> {
    let source = &options.source;
    let client = runtime.block_on(Client::connect(source.clone()));
    let client = client.map_err(MigrateError::source("connecting to the address"))?;
    tracing::info!(version = client.versions().core, url = source.url, graph = source.graph, "migrating");
    let definitions = runtime.block_on(Definitions::read(&client))?;
    let identity = Identity::new(&source.url, &source.graphspace, &source.graph, &target.name());
    let (journal, resumed) = Journal::open(&options.work_dir, &identity, options.restart)?;
    let [keys, vertex_labels, edge_labels, _] = &definitions.lists;
    let shared = Arc::new(Shared {
        forms: Forms::of(keys, vertex_labels, edge_labels),
        dir: options.work_dir.clone(),
        journal: Mutex::new(journal),
        client,
        observer,
        page_max: AtomicU32::new(PAGE_ELEMENTS_MAX),
    });
    target.begin()?;
    let done = Migration { target: &mut *target, runtime, options, shared, definitions: &definitions, observer }
        .carry_out(resumed);
    // The graph must not stay in this mode, whatever has happened.
    let ended = target.end();
    let summary = done?;
    ended?;
    let removed = std::fs::remove_dir_all(&options.work_dir);
    removed.map_err(|error| MigrateError::file("remove", &options.work_dir, error))?;
    Ok(summary)
}

struct Migration<'a> {
    target: &'a mut dyn Target,
    runtime: &'a Runtime,
    options: &'a MigrateOptions,
    shared: Arc<Shared<'static>>,
    definitions: &'a Definitions,
    observer: &'static dyn MigrateObserver,
}

impl Migration<'_> {
    fn carry_out(mut self, resumed: bool) -> Result<MigrateSummary, MigrateError> {
        let mut summary =
            MigrateSummary { resumed, warnings: self.definitions.warnings.clone(), ..MigrateSummary::default() };
        self.observer.step("taking over the schema");
        summary.defined = self.definitions.make_in(self.target)?;
        summary.variables = self.set_variables()?;
        let began = Instant::now();
        let vertices = self.fetch(ElementKind::Vertex, &mut summary)?;
        let edges = self.fetch(ElementKind::Edge, &mut summary)?;
        self.observer.fetched_all();
        summary.fetching = began.elapsed();
        self.load(&vertices, &edges, &mut summary)?;
        if self.options.users {
            self.observer.step("taking over users and rights");
            match self.runtime.block_on(users::read(&self.shared.client))? {
                Some(records) => summary.users = records.add_to(self.target, &mut summary.warnings)?,
                None => summary.warnings.push("the source has no users: authentication is off there".to_owned()),
            }
        }
        let began = Instant::now();
        for (kind, fetched) in [(ElementKind::Vertex, &vertices), (ElementKind::Edge, &edges)] {
            let there = match self.options.verify {
                true => {
                    self.observer.step(&format!("comparing {}", words(kind)));
                    Some(self.target.digests(kind, &self.shared.forms)?)
                }
                false => None,
            };
            summary.labels.extend(compare(self.definitions, kind, &fetched.digests, there.as_ref()));
        }
        summary.comparing = began.elapsed();
        summary.warnings.truncate(WARNINGS_MAX);
        Ok(summary)
    }

    fn set_variables(&mut self) -> Result<usize, MigrateError> {
        let variables = self.runtime.block_on(self.shared.client.variables());
        let variables = variables.map_err(MigrateError::source("reading the variables"))?;
        for (name, value) in &variables {
            self.target.set_variable(name, value)?;
        }
        Ok(variables.len())
    }

    fn fetch(&self, kind: ElementKind, summary: &mut MigrateSummary) -> Result<Fetched, MigrateError> {
        let fetched = self.runtime.block_on(fetch(&self.shared, kind, self.options.workers))?;
        if let Some(reason) = &fetched.listed {
            summary.warnings.push(format!("{} were read as one list, since shards are refused: {reason}", words(kind)));
        }
        if fetched.without_label > 0 {
            let (count, words) = (fetched.without_label, words(kind));
            summary.warnings.push(format!("{count} {words} are left out: their labels are no longer in the schema"));
        }
        Ok(fetched)
    }

    fn load(&mut self, vertices: &Fetched, edges: &Fetched, summary: &mut MigrateSummary) -> Result<(), MigrateError> {
        let began = Instant::now();
        let mut journal = self.shared.journal();
        if !journal.state.loaded {
            self.observer.step("loading");
            let dir = &self.options.work_dir;
            summary.warnings.extend(self.target.load(&vertices.files, &edges.files, dir, &mut journal)?);
            journal.add(Step::Loaded)?;
        }
        summary.loading = began.elapsed();
        Ok(())
    }
}

/// The labels of a kind in source and target.
pub(crate) fn compare(
    definitions: &Definitions,
    kind: ElementKind,
    here: &Digests,
    there: Option<&Digests>,
) -> Vec<LabelComparison> {
    let mortal = definitions.with_ttl(kind == ElementKind::Vertex);
    let labels: BTreeSet<&String> = here.keys().chain(there.into_iter().flat_map(Digests::keys)).collect();
    let compared = labels.into_iter().map(|label| {
        let source = here.get(label).copied().unwrap_or_default();
        let target = there.map(|sums| sums.get(label).copied().unwrap_or_default());
        LabelComparison {
            kind,
            label: label.clone(),
            source: source.elements,
            target: target.map(|target| target.elements),
            source_hash: source.hash(),
            target_hash: target.map(crate::digest::Digest::hash),
            expires: mortal.contains(&label.as_str()),
        }
    });
    compared.collect()
}
