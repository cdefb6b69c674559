//! The graph as a whole: mode, clearing, background tasks.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde::{Deserialize, Serialize};

use crate::client::{Client, Request, escape};
use crate::error::ClientError;
use crate::limits::{TASK_POLL_MAX_MS, TASK_POLL_MIN_MS};

/// The words the server wants before it deletes everything.
const CLEAR_CONFIRMATION: &str = "I'm sure to delete all data";

/// What checks the graph makes on writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum GraphMode {
    /// All checks.
    None,
    /// A backup is being restored: ids of schema elements are given.
    Restoring,
    /// Another graph's data is being merged in.
    Merging,
    /// Mandatory properties are not checked.
    Loading,
}

/// A background task of the server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Task {
    /// Its number.
    pub id: i64,
    /// Its name.
    #[serde(default)]
    pub task_name: String,
    /// Its status in the server's words, for example `running`.
    pub task_status: String,
    /// Its progress as the server counts it.
    #[serde(default)]
    pub task_progress: i64,
    /// Its result, or the error of a failed task; JSON text.
    #[serde(default)]
    pub task_result: Option<String>,
}

/// A task that concerns the whole server.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct StartedTask {
    /// Its number.
    pub task_id: i64,
    /// The graph whose tasks it is among.
    pub graph: String,
}

impl Task {
    /// Whether it will not change any more.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        matches!(self.task_status.to_ascii_lowercase().as_str(), "success" | "failed" | "cancelled")
    }

    /// Whether it did what it was asked to.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.task_status.eq_ignore_ascii_case("success")
    }
}

impl Client {
    /// Reads the server's metrics in their text form, whose names tell products apart that are alike otherwise.
    ///
    /// # Errors
    /// Any [`ClientError`] of the request.
    pub async fn metrics_text(&self) -> Result<String, ClientError> {
        let reply = self.call_server(Request::get("metrics".into())).await?;
        Ok(String::from_utf8_lossy(&reply).into_owned())
    }

    /// Creates the graph that this client is for, with the server's own settings.
    ///
    /// # Errors
    /// [`ClientError::Refused`] if there is one of the name, or the server allows no more.
    pub async fn create_graph(&self) -> Result<(), ClientError> {
        let path = self.graph_path().to_owned();
        self.call_server(Request::with_body(Method::POST, path, "{}".to_owned())).await.map(drop)
    }

    /// Reads the graph's mode.
    ///
    /// # Errors
    /// Any [`ClientError`] of the request.
    pub async fn mode(&self) -> Result<GraphMode, ClientError> {
        #[derive(Deserialize)]
        struct Wire {
            mode: GraphMode,
        }
        Ok(self.call::<Wire>(Request::get("mode".into())).await?.mode)
    }

    /// Sets the graph's mode.
    ///
    /// # Errors
    /// Any [`ClientError`] of the request.
    pub async fn set_mode(&self, mode: GraphMode) -> Result<(), ClientError> {
        let body = serde_json::json!(mode).to_string();
        let mut request = Request::with_body(Method::PUT, "mode".into(), body);
        request.repeatable = true;
        self.call_raw(request).await.map(drop)
    }

    /// Deletes everything in the graph: schema, data, indexes, tasks.
    ///
    /// # Errors
    /// Any [`ClientError`] of the request.
    pub async fn clear_graph(&self) -> Result<(), ClientError> {
        let path = format!("clear?confirm_message={}", escape(CLEAR_CONFIRMATION));
        let mut request = Request::delete(path);
        request.repeatable = true;
        self.call_raw(request).await.map(drop)
    }

    /// Has the server make a backup of all its graphs, in its own repository.
    ///
    /// # Errors
    /// [`ClientError::Refused`] by a server without a repository, or that is not Rhizome.
    pub async fn start_backup(&self, reread: bool) -> Result<StartedTask, ClientError> {
        let body = serde_json::json!({ "reread": reread }).to_string();
        self.ask_server(Request::with_body(Method::POST, "rhizome/backups".to_owned(), body)).await
    }

    /// Has all servers over the store stop writing, for this many seconds at most. Nobody writes when it returns.
    ///
    /// # Errors
    /// [`ClientError::Refused`] by a server whose engine no other can use, or that is not Rhizome.
    pub async fn freeze(&self, seconds: u64) -> Result<(), ClientError> {
        let body = serde_json::json!({ "seconds": seconds }).to_string();
        self.call_server(Request::with_body(Method::POST, "rhizome/freeze".to_owned(), body)).await.map(drop)
    }

    /// Has them write again. Whether it was this server that [`Self::freeze`] was asked of, and none has written since.
    ///
    /// # Errors
    /// As [`Self::freeze`].
    pub async fn thaw(&self) -> Result<bool, ClientError> {
        #[derive(Deserialize)]
        struct Wire {
            held: bool,
        }
        let request = Request::with_body(Method::POST, "rhizome/thaw".to_owned(), String::new());
        Ok(self.ask_server::<Wire>(request).await?.held)
    }

    /// Reads one task.
    ///
    /// # Errors
    /// [`ClientError::NotFound`] if there is none with this number.
    pub async fn task(&self, id: i64) -> Result<Task, ClientError> {
        self.call(Request::get(format!("tasks/{id}"))).await
    }

    /// Reads the newest tasks, `limit` at most.
    ///
    /// # Errors
    /// Any [`ClientError`] of the request.
    pub async fn tasks(&self, limit: u32) -> Result<Vec<Task>, ClientError> {
        #[derive(Deserialize)]
        struct Wire {
            tasks: Vec<Task>,
        }
        Ok(self.call::<Wire>(Request::get(format!("tasks?limit={limit}"))).await?.tasks)
    }

    /// Waits until a task has ended well. Number 0 means "no task" in the contract and returns at once.
    ///
    /// # Errors
    /// [`ClientError::Task`] if it failed or was cancelled, [`ClientError::TaskTimeout`] after `timeout_ms`.
    pub async fn wait_for_task(&self, id: i64, timeout_ms: u64) -> Result<(), ClientError> {
        if id == 0 {
            return Ok(());
        }
        let started = Instant::now();
        let mut pause_ms = TASK_POLL_MIN_MS;
        loop {
            let task = self.task(id).await?;
            if task.is_success() {
                return Ok(());
            }
            if task.is_finished() {
                let result = task.task_result.unwrap_or_else(|| "no result".into());
                return Err(ClientError::Task { id, name: task.task_name, status: task.task_status, result });
            }
            if started.elapsed() >= Duration::from_millis(timeout_ms) {
                return Err(ClientError::TaskTimeout { id, status: task.task_status, timeout_ms });
            }
            tokio::time::sleep(Duration::from_millis(pause_ms)).await;
            pause_ms = (pause_ms * 2).min(TASK_POLL_MAX_MS);
        }
    }
}
