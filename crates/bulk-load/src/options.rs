//! The options of a load.

use std::path::{Path, PathBuf};

use api_client::{COUNT_PAGE_ELEMENTS, ClientOptions};

/// Options of a load: files, server, batch size, handling of bad rows.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// The mapping file, hugegraph-loader's version 2 form.
    pub mapping: PathBuf,
    /// A schema file whose property keys and labels are created first, if they do not exist.
    pub schema: Option<PathBuf>,
    /// The server, the graph, timeouts and retries.
    pub client: ClientOptions,
    /// Elements per request. HugeGraph 1.5 and 1.7 refuse more than 500.
    pub batch_size: usize,
    /// Number of concurrent requests.
    pub in_flight: usize,
    /// Let the server check that both ends of every edge exist. Slower.
    pub check_vertex: bool,
    /// Where rejected rows are written; `None` for the folder `rejects` next to the mapping file.
    pub rejects_dir: Option<PathBuf>,
    /// Stop after more rejected rows than this; `None` never stops.
    pub rejects_max: Option<u64>,
    /// Read and check everything against the server's schema, but create and insert nothing.
    pub dry_run: bool,
    /// Folder that relative paths in the mapping start from; `None` for the mapping file's folder.
    pub base_dir: Option<PathBuf>,
    /// Count each label on the server before and after.
    pub verify: bool,
    /// Elements per page when counting.
    pub count_page_elements: u32,
}

impl LoadOptions {
    /// The defaults for a mapping file.
    #[must_use]
    pub fn new(mapping: impl Into<PathBuf>) -> Self {
        Self {
            mapping: mapping.into(),
            schema: None,
            client: ClientOptions::default(),
            batch_size: 500,
            in_flight: 4,
            check_vertex: false,
            rejects_dir: None,
            rejects_max: None,
            dry_run: false,
            base_dir: None,
            verify: true,
            count_page_elements: COUNT_PAGE_ELEMENTS,
        }
    }

    fn mapping_dir(&self) -> &Path {
        match self.mapping.parent() {
            Some(dir) if !dir.as_os_str().is_empty() => dir,
            _ => Path::new("."),
        }
    }

    /// The folder relative paths start from.
    pub(crate) fn base(&self) -> &Path {
        self.base_dir.as_deref().unwrap_or_else(|| self.mapping_dir())
    }

    /// The folder for rejected rows.
    pub(crate) fn rejects(&self) -> PathBuf {
        self.rejects_dir.clone().unwrap_or_else(|| self.mapping_dir().join("rejects"))
    }
}
