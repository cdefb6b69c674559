//! `rhizome health`: asks a server whether it is ready. For images without a shell, and for scripts.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail};
use api_client::Client;
use clap::Args;

#[derive(Args)]
pub(super) struct HealthArguments {
    /// Address of the server.
    #[arg(long, value_name = "URL", env = "RHIZOME_URL", default_value = "http://127.0.0.1:8080")]
    url: String,
    /// Ask only whether the process answers, not whether it is ready for requests.
    #[arg(long)]
    alive: bool,
    /// How long to wait for the answer, in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 5_000)]
    timeout_ms: u64,
    /// PEM file with the certificates of the CAs that may sign that of an `https` server; without it the system's.
    #[arg(long, value_name = "FILE", env = "RHIZOME_CA")]
    ca: Option<PathBuf>,
}

pub(super) fn health(arguments: &HealthArguments) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().context("starting the runtime")?;
    let path = if arguments.alive { "health" } else { "ready" };
    let timeout = Duration::from_millis(arguments.timeout_ms);
    let (status, said) = runtime.block_on(Client::probe(&arguments.url, path, timeout, arguments.ca.as_deref()))?;
    if status != 200 {
        bail!("the server at {} is not ready: {status} {said}", arguments.url);
    }
    super::terminal::print("ready\n")
}
