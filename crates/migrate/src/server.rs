//! A running server, as a target: what HugeGraph's own tools restore a graph with.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use api_client::{Client, ClientError, ElementKind, GraphMode, Shard};
use bytes::Bytes;
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::definitions::name_of;
use crate::elements::{Digests, Forms, merge, words};
use crate::error::MigrateError;
use crate::journal::{Journal, Kind, Step};
use crate::limits::{BATCH_BYTES, BATCH_ELEMENTS, INDEX_TIMEOUT_MS, PAGE_ELEMENTS_FIRST, SHARD_BYTES};
use crate::options::MigrateObserver;
use crate::target::Target;

/// A graph of a running server.
pub(crate) struct OnServer<'a> {
    client: Client,
    runtime: &'a Runtime,
    in_flight: usize,
    mode: Option<GraphMode>,
    observer: &'static dyn MigrateObserver,
}

impl<'a> OnServer<'a> {
    pub(crate) fn new(
        client: Client,
        runtime: &'a Runtime,
        in_flight: usize,
        observer: &'static dyn MigrateObserver,
    ) -> Self {
        Self { client, runtime, in_flight: in_flight.max(1), mode: None, observer }
    }

    /// Sends the lines of a file.
    async fn send(&self, kind: ElementKind, path: &Path) -> Result<(), MigrateError> {
        let mut lines = Lines::open(path)?;
        let mut sending: JoinSet<Result<(), MigrateError>> = JoinSet::new();
        loop {
            let batch = lines.batch()?;
            if batch.is_none() || sending.len() >= self.in_flight {
                match sending.join_next().await {
                    Some(ended) => ended.map_err(|error| MigrateError::Worker(error.to_string()))??,
                    None if batch.is_none() => return Ok(()),
                    None => {}
                }
            }
            let Some((elements, body)) = batch else { continue };
            let (client, observer) = (self.client.clone(), self.observer);
            sending.spawn(async move {
                let sent = match kind {
                    ElementKind::Vertex => client.add_vertices(body, true).await,
                    ElementKind::Edge => client.add_edges(body, false).await,
                };
                sent.map_err(MigrateError::server(format!("sending {}", words(kind))))?;
                observer.sent(kind, elements);
                Ok(())
            });
        }
    }
}

/// The lines of a file, as bodies of requests.
struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
}

impl Lines {
    fn open(path: &Path) -> Result<Self, MigrateError> {
        let file = File::open(path).map_err(|error| MigrateError::file("read", path, error))?;
        Ok(Self { path: path.to_owned(), reader: BufReader::new(file) })
    }

    /// The next lines as a JSON array, with their number; `None` at the end.
    fn batch(&mut self) -> Result<Option<(u64, Bytes)>, MigrateError> {
        let mut body = vec![b'['];
        let mut elements = 0;
        while elements < BATCH_ELEMENTS && body.len() < BATCH_BYTES {
            let before = body.len();
            let read = self.reader.read_until(b'\n', &mut body);
            if read.map_err(|error| MigrateError::file("read", &self.path, error))? == 0 {
                break;
            }
            if body.last() == Some(&b'\n') {
                body.pop();
            }
            if body.len() > before {
                body.push(b',');
                elements += 1;
            }
        }
        if elements == 0 {
            return Ok(None);
        }
        body.pop();
        body.push(b']');
        Ok(Some((elements as u64, body.into())))
    }
}

impl Target for OnServer<'_> {
    fn name(&self) -> String {
        let options = self.client.options();
        format!("the graph {} of {}", options.graph, options.url)
    }

    fn begin(&mut self) -> Result<(), MigrateError> {
        self.runtime.block_on(async {
            let mode = match self.client.mode().await {
                Err(ClientError::NotFound { .. }) => {
                    let made = self.client.create_graph().await;
                    made.map_err(MigrateError::server("making the graph"))?;
                    GraphMode::None
                }
                mode => mode.map_err(MigrateError::server("reading the mode"))?,
            };
            let set = self.client.set_mode(GraphMode::Restoring).await;
            set.map_err(MigrateError::server("setting the mode RESTORING"))?;
            // An interrupted migration has left it so.
            self.mode = Some(if mode == GraphMode::Restoring { GraphMode::None } else { mode });
            Ok(())
        })
    }

    fn end(&mut self) -> Result<(), MigrateError> {
        let Some(mode) = self.mode else { return Ok(()) };
        self.runtime.block_on(self.client.set_mode(mode)).map_err(MigrateError::server("setting the mode back"))
    }

    fn definitions(&self, list: &str) -> Result<Vec<Value>, MigrateError> {
        let read = self.runtime.block_on(self.client.definitions(list));
        read.map_err(MigrateError::server(format!("reading the {list}")))
    }

    fn define(&mut self, list: &str, body: &Value) -> Result<(), MigrateError> {
        let client = &self.client;
        let made = self.runtime.block_on(async {
            match list {
                "propertykeys" => client.create_property_key(body, false).await,
                "vertexlabels" => client.create_vertex_label(body, false).await,
                "edgelabels" => client.create_edge_label(body, false).await,
                _ => match client.create_index_label(body, false).await {
                    Ok(task) => client.wait_for_task(task, INDEX_TIMEOUT_MS).await,
                    Err(error) => Err(error),
                },
            }
        });
        made.map_err(MigrateError::server(format!("making {list} {}", name_of(body))))
    }

    fn set_variable(&mut self, name: &str, value: &Value) -> Result<(), MigrateError> {
        let set = self.runtime.block_on(self.client.set_variable(name, value));
        set.map_err(MigrateError::server(format!("setting the variable {name}")))
    }

    fn load(
        &mut self,
        vertices: &[PathBuf],
        edges: &[PathBuf],
        _work_dir: &Path,
        journal: &mut Journal,
    ) -> Result<Vec<String>, MigrateError> {
        for (kind, files) in [(ElementKind::Vertex, vertices), (ElementKind::Edge, edges)] {
            for (at, path) in files.iter().enumerate() {
                if journal.state.sent.contains(&(Kind::from(kind), at)) {
                    continue;
                }
                self.runtime.block_on(self.send(kind, path))?;
                journal.add(Step::Sent(kind.into(), at))?;
            }
        }
        Ok(Vec::new())
    }

    fn digests(&self, kind: ElementKind, forms: &Forms) -> Result<Digests, MigrateError> {
        let doing = || MigrateError::server(format!("reading {}", words(kind)));
        self.runtime.block_on(async {
            let mut sums = Digests::new();
            let shards: Vec<Shard> = self.client.shards(kind, SHARD_BYTES).await.map_err(doing())?;
            for shard in shards {
                let mut next: Option<String> = None;
                loop {
                    let text = self.client.scan(kind, &shard, PAGE_ELEMENTS_FIRST, next.as_deref()).await;
                    let page = forms.page(kind, &text.map_err(doing())?)?;
                    merge(&mut sums, &page.digests);
                    match page.next {
                        Some(token) => next = Some(token),
                        None => break,
                    }
                }
            }
            Ok(sums)
        })
    }

    fn add_user_record(&mut self, list: &str, body: &Value) -> Result<bool, MigrateError> {
        match self.runtime.block_on(self.client.create_user_record(list, body)) {
            Ok(()) => Ok(true),
            Err(ClientError::Refused { message, .. }) if message.contains("already exists") => Ok(false),
            Err(source) => Err(MigrateError::server(format!("making one of the {list}"))(source)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_arrays_of_at_most_500() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.jsonl");
        let text: String = (0..1_001).map(|n| format!("{{\"id\":{n}}}\n")).collect();
        std::fs::write(&path, text).unwrap();
        let mut lines = Lines::open(&path).unwrap();
        let mut ids = Vec::new();
        let mut sizes = Vec::new();
        while let Some((elements, body)) = lines.batch().unwrap() {
            let read: Vec<Value> = serde_json::from_slice(&body).unwrap();
            assert_eq!(read.len() as u64, elements);
            sizes.push(elements);
            ids.extend(read.iter().map(|one| one["id"].as_u64().unwrap()));
        }
        assert_eq!(sizes, [500, 500, 1]);
        assert_eq!(ids, (0..1_001).collect::<Vec<u64>>());
    }
}
