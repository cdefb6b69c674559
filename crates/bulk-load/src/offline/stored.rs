//! Loads elements of another store.

use api_client::ElementKind;
use graph_host::Store;

use super::foreign::StoredElements;
use super::journal::{Identity, Journal};
use super::{Load, OfflineOptions, WORK_FOLDER, Work, check, graph_of};
use crate::error::LoadError;
use crate::progress::{LoadObserver, LoadPlan};
use crate::summary::{LabelSummary, LoadSummary};

/// Loads elements of another store into a graph of a store that this process has open, whose schema is there already.
/// The summary has one line for vertices and one for edges. With `resume`, an interrupted load is continued if there is
/// one: with the vertices, or with the edges.
///
/// # Errors
/// As of [`crate::load_offline()`].
pub fn load_stored(
    store: &Store,
    elements: &dyn StoredElements,
    options: &OfflineOptions,
    observer: &dyn LoadObserver,
) -> Result<LoadSummary, LoadError> {
    let run = || {
        check(store, options)?;
        let graph = graph_of(store, &options.graph)?;
        let identity = Identity::new(&options.graph, elements.identity(), false, options.batch);
        let resume = options.resume && Journal::exists(&options.data_dir.join(WORK_FOLDER));
        let options = OfflineOptions { resume, ..options.clone() };
        let labels = [(ElementKind::Vertex, "vertices"), (ElementKind::Edge, "edges")];
        let labels = labels.map(|(kind, name)| LabelSummary::new(kind, name)).into();
        let mut load = Load::start(store, graph, &options, observer, (Work::Stored(elements), labels), &identity)?;
        observer.started(LoadPlan { files: 1, bytes: elements.bytes() });
        load.finish()?;
        Ok(load.summary(None))
    };
    let ended = run();
    observer.finished();
    ended
}
