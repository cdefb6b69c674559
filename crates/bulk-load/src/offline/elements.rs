//! Files whose lines are elements, in the JSON that the REST API answers: what a migration has fetched from another
//! server. Nothing is mapped or coerced; a line is read as the body of a request would be.

use std::path::PathBuf;
use std::sync::Arc;

use api_client::ElementKind;
use graph_host::HostedGraph;
use serde_json::json;

use crate::error::LoadError;
use crate::mapping::{Input, Mapping};
use crate::options::LoadOptions;
use crate::parse::FileJob;
use crate::progress::LoadPlan;
use crate::reader::Names;
use crate::rejects::Rejects;
use crate::source::SourceFile;

/// No character of JSON text outside its strings, and escaped inside them: such a line is one column.
const DELIMITER: &str = "\u{0}";

/// Files with one element a line, as `GET {G}/graph/vertices` and `graph/edges` answer them.
#[derive(Clone, Debug, Default)]
pub struct ElementFiles {
    /// Vertices. A vertex whose id is made of its primary keys has no `id`.
    pub vertices: Vec<PathBuf>,
    /// Edges.
    pub edges: Vec<PathBuf>,
}

/// Names of all labels of a kind: any of them may have elements in the files.
pub(super) fn labels_of(graph: &HostedGraph, kind: ElementKind) -> Vec<String> {
    let catalogue = graph.catalogue();
    match kind {
        ElementKind::Vertex => catalogue.vertex_labels().map(|label| label.name.clone()).collect(),
        ElementKind::Edge => catalogue.edge_labels().map(|label| label.name.clone()).collect(),
    }
}

/// The files, with their sizes.
pub(super) struct Files {
    /// Of vertices, and of edges.
    files: [Vec<SourceFile>; 2],
    /// What names the files of rejected rows.
    mapping: Mapping,
    input: Arc<Input>,
}

impl Files {
    pub(super) fn find(files: &ElementFiles) -> Result<Self, LoadError> {
        let sizes = |paths: &[PathBuf]| -> Result<Vec<SourceFile>, LoadError> {
            let with_size = |path: &PathBuf| {
                let meta = std::fs::metadata(path).map_err(|error| LoadError::file("read", path, error))?;
                Ok(SourceFile { path: path.as_path().into(), bytes: meta.len() })
            };
            paths.iter().map(with_size).collect()
        };
        let input = json!({"path": ".", "format": "TEXT", "delimiter": DELIMITER, "header": ["element"]});
        let structs: Vec<_> = ["vertices", "edges"].map(|id| json!({"id": id, "input": &input})).into();
        let defect = |error: serde_json::Error| LoadError::Defect { place: "elements", reason: error.to_string() };
        Ok(Self {
            files: [sizes(&files.vertices)?, sizes(&files.edges)?],
            mapping: serde_json::from_value(json!({"version": "2.0", "structs": structs})).map_err(defect)?,
            input: Arc::new(serde_json::from_value(input).map_err(defect)?),
        })
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().flatten()
    }

    fn of(&self, kind: ElementKind) -> (usize, &[SourceFile]) {
        let [vertices, edges] = &self.files;
        if kind == ElementKind::Vertex { (0, vertices) } else { (1, edges) }
    }

    /// Where rows that are rejected go.
    pub(super) fn rejects(&self, options: &LoadOptions) -> Result<Rejects, LoadError> {
        Rejects::new(&options.rejects(), &self.mapping, self.all().map(|file| &*file.path))
    }

    /// What there is to read, or only of one kind.
    pub(super) fn plan(&self, only: Option<ElementKind>) -> LoadPlan {
        let kinds = [ElementKind::Vertex, ElementKind::Edge].into_iter();
        let kinds = kinds.filter(|kind| only.is_none_or(|only| only == *kind));
        let sizes: Vec<u64> = kinds.flat_map(|kind| self.of(kind).1).map(|file| file.bytes).collect();
        LoadPlan { files: sizes.len() as u64, bytes: sizes.iter().sum() }
    }

    pub(super) fn jobs(&self, kind: ElementKind) -> Vec<FileJob> {
        let (at, files) = self.of(kind);
        let header = Names::from(vec!["element".to_owned()]);
        let job = |file: &SourceFile| FileJob {
            struct_index: at,
            path: Arc::clone(&file.path),
            bytes: file.bytes,
            input: Arc::clone(&self.input),
            header: Some(Names::clone(&header)),
            kind,
            makers: Vec::new(),
            elements: Some(at),
            reports_unreadable: true,
        };
        files.iter().map(job).collect()
    }
}
