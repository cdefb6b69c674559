//! A whole load, step by step: everything that can be checked is checked before the first element is sent.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use api_client::{Client, ClientError, ElementKind, IdStrategy};

use crate::builder::{Builder, Element};
use crate::catalogue::Catalogue;
use crate::coerce::Coercion;
use crate::error::LoadError;
use crate::mapping::{Format, Input, Mapping, Struct};
use crate::mapping_check::read_mapping;
use crate::options::LoadOptions;
use crate::parse::{FileJob, Maker};
use crate::pipeline::{Ledger, run_phase};
use crate::progress::{LoadObserver, LoadPlan, Phase};
use crate::reader::{Names, delimiter_of, header_of};
use crate::rejects::Rejects;
use crate::schema_file::SchemaFile;
use crate::source::{self, SourceFile};
use crate::summary::{LabelSummary, LoadSummary};
use crate::verify;

/// A struct that takes part in the load, with its files found.
pub(crate) struct Source<'a> {
    index: usize,
    mapping: &'a Struct,
    input: Arc<Input>,
    files: Vec<SourceFile>,
    header: Option<Names>,
}

impl Source<'_> {
    /// Its files.
    pub(crate) fn files(&self) -> &[SourceFile] {
        &self.files
    }
}

/// Loads files into a graph as the mapping says: vertices of all structs, then edges of all structs. Bad rows go to the
/// rejects folder and do not stop the load.
///
/// Within a label the order of rows is not kept: batches are sent at the same time. If two rows have the same id,
/// either may be the one that stays.
///
/// # Errors
/// [`LoadError`] for a wrong mapping, an unreadable file, a server that cannot be used, or too many rejected rows. What
/// was inserted until then stays; loading again is safe where the data gives the ids.
pub async fn load(options: LoadOptions, observer: &dyn LoadObserver) -> Result<LoadSummary, LoadError> {
    let ended = run(&options, observer).await;
    observer.finished();
    ended
}

async fn run(options: &LoadOptions, observer: &dyn LoadObserver) -> Result<LoadSummary, LoadError> {
    check_options(options)?;
    let mapping = read_mapping(&options.mapping)?;
    let sources = find_sources(&mapping, options)?;
    let schema_file = options.schema.as_deref().map(|path| Ok((path, SchemaFile::read(path)?))).transpose()?;
    let client = Client::connect(options.client.clone()).await;
    let client = client.map_err(|source| LoadError::Server { doing: "cannot connect".into(), source })?;
    let catalogue = Arc::new(catalogue(&client, schema_file.as_ref(), options.dry_run).await?);
    let labels = labels(&sources);
    // Building every job once shows all mistakes in the mapping before anything is sent.
    let vertices = jobs(&sources, ElementKind::Vertex, &labels, &catalogue, options)?;
    let edges = jobs(&sources, ElementKind::Edge, &labels, &catalogue, options)?;

    let verify = options.verify && !options.dry_run;
    let page = options.count_page_elements;
    let before = if verify { verify::count(&client, &catalogue, &labels, page, observer).await? } else { Vec::new() };
    let mut ledger = Ledger {
        labels,
        rows_unreadable: 0,
        bytes_read: 0,
        batches_too_big: 0,
        rejects: rejects(&mapping, &sources, options)?,
        rejects_max: options.rejects_max,
        observer,
    };
    observer.started(plan(&sources));
    let started = Instant::now();
    let mut ended = Ok(());
    for (phase, jobs) in [(Phase::Vertices, vertices), (Phase::Edges, edges)] {
        if ended.is_ok() && !jobs.is_empty() {
            observer.phase(phase);
            ended = run_phase(&client, options, jobs, &mut ledger).await;
        }
    }
    ledger.rejects.flush()?;
    let unread = plan(&sources).bytes.saturating_sub(ledger.bytes_read);
    ended.map_err(|error| with_room_needed(error, unread))?;

    let elapsed = started.elapsed();
    let mut labels = ledger.labels;
    if verify {
        let after = verify::count(&client, &catalogue, &labels, page, observer).await?;
        verify::compare(&mut labels, before, after);
    }
    let mut warnings: Vec<String> = labels.iter().filter_map(LabelSummary::warning).collect();
    if ledger.batches_too_big > 0 {
        warnings.push(format!(
            "the server refused {} batches as a whole but took all their parts; a batch_size below {} will be faster",
            ledger.batches_too_big, options.batch_size
        ));
    }
    Ok(LoadSummary {
        warnings,
        labels,
        rows_unreadable: ledger.rows_unreadable,
        elapsed,
        dry_run: options.dry_run,
        rejects_dir: ledger.rejects.written_to(),
        offline: None,
    })
}

/// The error of a server whose disk is full, with what there is still to be stored.
fn with_room_needed(error: LoadError, unread_bytes: u64) -> LoadError {
    match error {
        LoadError::Server { source: source @ ClientError::DiskFull { .. }, .. } => {
            LoadError::ServerDiskFull { unread_bytes, source }
        }
        other => other,
    }
}

pub(crate) fn check_options(options: &LoadOptions) -> Result<(), LoadError> {
    let numbers = [
        ("batch_size", options.batch_size as u64),
        ("in_flight", options.in_flight as u64),
        ("count_page_elements", u64::from(options.count_page_elements)),
    ];
    match numbers.into_iter().find(|(_, value)| *value == 0) {
        Some((option, _)) => Err(LoadError::Option { option, reason: "it must be at least 1".into() }),
        None => Ok(()),
    }
}

pub(crate) fn find_sources<'a>(mapping: &'a Mapping, options: &LoadOptions) -> Result<Vec<Source<'a>>, LoadError> {
    let mut sources = Vec::new();
    for (index, one) in mapping.structs.iter().enumerate().filter(|(_, one)| !one.skip) {
        let files = source::files(&one.input, options.base(), &options.mapping, &format!("structs[{index}]"))?;
        let first = files.first().map_or(Path::new(""), |file| &file.path);
        let header = header_of(first, &one.input).map_err(|error| LoadError::file("read", first, error))?;
        let header = header.map_err(|reason| LoadError::description(first, "header", reason))?;
        sources.push(Source { index, mapping: one, input: Arc::new(one.input.clone()), files, header });
    }
    Ok(sources)
}

async fn catalogue(
    client: &Client,
    schema_file: Option<&(&Path, SchemaFile)>,
    dry_run: bool,
) -> Result<Catalogue, LoadError> {
    if let Some((path, file)) = schema_file
        && !dry_run
    {
        file.create(client, path).await?;
    }
    let schema = client.schema().await;
    let schema = schema.map_err(|source| LoadError::Server { doing: "cannot read the schema".into(), source })?;
    let mut catalogue = Catalogue::new(schema);
    if let Some((path, file)) = schema_file
        && dry_run
    {
        catalogue.add(file.as_schema(path)?);
    }
    Ok(catalogue)
}

/// The elements of a struct that are not skipped.
fn elements(one: &Struct, kind: ElementKind) -> Vec<(String, Element)> {
    match kind {
        ElementKind::Vertex => {
            let taken = one.vertices.iter().filter(|mapping| !mapping.skip);
            taken.map(|mapping| (mapping.label.clone(), Element::Vertex(mapping.clone()))).collect()
        }
        ElementKind::Edge => {
            let taken = one.edges.iter().filter(|mapping| !mapping.skip);
            taken.map(|mapping| (mapping.label.clone(), Element::Edge(mapping.clone()))).collect()
        }
    }
}

/// One entry per label, vertices first, in the order of the mapping.
pub(crate) fn labels(sources: &[Source<'_>]) -> Vec<LabelSummary> {
    let mut labels: Vec<LabelSummary> = Vec::new();
    for kind in [ElementKind::Vertex, ElementKind::Edge] {
        for (label, _) in sources.iter().flat_map(|source| elements(source.mapping, kind)) {
            if !labels.iter().any(|known| known.kind == kind && known.label == label) {
                labels.push(LabelSummary::new(kind, &label));
            }
        }
    }
    labels
}

pub(crate) fn jobs(
    sources: &[Source<'_>],
    kind: ElementKind,
    labels: &[LabelSummary],
    catalogue: &Arc<Catalogue>,
    options: &LoadOptions,
) -> Result<VecDeque<FileJob>, LoadError> {
    let mut jobs = VecDeque::new();
    for source in sources {
        let elements = elements(source.mapping, kind);
        if elements.is_empty() {
            continue;
        }
        let at = format!("structs[{}].input", source.index);
        let coercion = Coercion::new(&source.input);
        let coercion = Arc::new(coercion.map_err(|reason| LoadError::description(&options.mapping, at, reason))?);
        for file in &source.files {
            let mut makers = Vec::new();
            for (label, element) in &elements {
                makers.push(maker(source, &file.path, kind, (label, element), (labels, catalogue, &coercion))?);
            }
            jobs.push_back(FileJob {
                struct_index: source.index,
                path: Arc::clone(&file.path),
                bytes: file.bytes,
                input: Arc::clone(&source.input),
                header: source.header.clone(),
                kind,
                makers,
                elements: None,
                reports_unreadable: kind == ElementKind::Vertex
                    || self::elements(source.mapping, ElementKind::Vertex).is_empty(),
            });
        }
    }
    Ok(jobs)
}

fn maker(
    source: &Source<'_>,
    path: &Path,
    kind: ElementKind,
    (label, element): (&str, &Element),
    (labels, catalogue, coercion): (&[LabelSummary], &Arc<Catalogue>, &Arc<Coercion>),
) -> Result<Maker, LoadError> {
    let json = source.input.format == Format::Json;
    let mut builder = Builder::new(element.clone(), Arc::clone(coercion), Arc::clone(catalogue), json);
    // The columns of JSON rows are known only row by row; without any, the labels and the id rules are checked.
    let names = source.header.clone().unwrap_or_else(|| Names::from(Vec::new()));
    builder.prepare(&names).map_err(|reason| LoadError::Header {
        path: path.to_owned(),
        struct_id: source.mapping.id.clone(),
        kind: if kind == ElementKind::Vertex { "vertex" } else { "edge" },
        label: label.to_owned(),
        reason,
    })?;
    let strategy = catalogue.vertex_label(label).map(|label| label.id_strategy);
    let made_by_server =
        kind == ElementKind::Vertex && matches!(strategy, Some(IdStrategy::Automatic | IdStrategy::Default));
    let label = labels.iter().position(|known| known.kind == kind && known.label == label).unwrap_or_default();
    Ok(Maker { label, repeatable: !made_by_server, builder })
}

pub(crate) fn rejects(mapping: &Mapping, sources: &[Source<'_>], options: &LoadOptions) -> Result<Rejects, LoadError> {
    let dir: PathBuf = options.rejects();
    let files = sources.iter().flat_map(|source| source.files.iter().map(|file| &*file.path));
    let mut rejects = Rejects::new(&dir, mapping, files)?;
    for source in sources {
        if let Some(names) = &source.header {
            let given = source.input.header.is_some();
            rejects.set_header(source.index, source.input.format, given, names, &delimiter_of(&source.input));
        }
    }
    Ok(rejects)
}

pub(crate) fn plan(sources: &[Source<'_>]) -> LoadPlan {
    let parts = [ElementKind::Vertex, ElementKind::Edge].map(|kind| plan_of(sources, kind));
    LoadPlan { files: parts.iter().map(|part| part.files).sum(), bytes: parts.iter().map(|part| part.bytes).sum() }
}

/// What there is to read for vertices, or for edges.
pub(crate) fn plan_of(sources: &[Source<'_>], kind: ElementKind) -> LoadPlan {
    let files = sources.iter().filter(|source| !elements(source.mapping, kind).is_empty()).flat_map(Source::files);
    let (mut count, mut bytes) = (0, 0);
    for file in files {
        count += 1;
        bytes += file.bytes;
    }
    LoadPlan { files: count, bytes }
}
