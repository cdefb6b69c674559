//! `rhizome load`: files into a running server.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use bulk_load::{ConsoleProgress, LoadOptions};
use clap::Args;

#[derive(Args)]
pub(super) struct LoadArguments {
    /// Mapping file, in the form of hugegraph-loader's (version 2).
    #[arg(long, value_name = "FILE")]
    mapping: PathBuf,
    /// Schema to create first (JSON, as the server's GET .../schema answers).
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,
    /// The server to load into.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8080")]
    server: String,
    /// The graph to load into.
    #[arg(long, value_name = "NAME", default_value = "hugegraph")]
    graph: String,
    /// User name, where the server asks for one.
    #[arg(long, value_name = "NAME", env = "RHIZOME_USER")]
    user: Option<String>,
    /// Password of that user; better given in the environment.
    #[arg(long, value_name = "TEXT", env = "RHIZOME_PASSWORD", hide_env_values = true)]
    password: Option<String>,
    /// Elements in one request; HugeGraph refuses more than 500.
    #[arg(long, value_name = "N", default_value_t = 500)]
    batch_size: usize,
    /// Requests under way at one time.
    #[arg(long, value_name = "N", default_value_t = 4)]
    in_flight: usize,
    /// Let the server check that both ends of each edge exist.
    #[arg(long)]
    check_vertex: bool,
    /// Folder for rejected rows [default: rejects, beside the mapping file].
    #[arg(long, value_name = "DIR")]
    rejects: Option<PathBuf>,
    /// Stop after more rejected rows than this.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    rejects_max: u64,
    /// Folder that relative paths in the mapping start from [default: that of the mapping file].
    #[arg(long, value_name = "DIR")]
    base_dir: Option<PathBuf>,
    /// Read and check everything, but send nothing.
    #[arg(long)]
    dry_run: bool,
    /// Do not count the labels on the server before and after.
    #[arg(long)]
    no_verify: bool,
}

pub(super) fn load(arguments: &LoadArguments) -> anyhow::Result<()> {
    let mut options = LoadOptions::new(&arguments.mapping);
    options.schema.clone_from(&arguments.schema);
    options.client.url.clone_from(&arguments.server);
    options.client.graph.clone_from(&arguments.graph);
    options.client.username.clone_from(&arguments.user);
    options.client.password.clone_from(&arguments.password);
    options.batch_size = arguments.batch_size;
    options.in_flight = arguments.in_flight;
    options.check_vertex = arguments.check_vertex;
    options.rejects_dir.clone_from(&arguments.rejects);
    options.rejects_max = Some(arguments.rejects_max);
    options.base_dir.clone_from(&arguments.base_dir);
    options.dry_run = arguments.dry_run;
    options.verify = !arguments.no_verify;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting the runtime")?;
    let summary = runtime.block_on(bulk_load::load(options, &ConsoleProgress::new()))?;
    super::print(&format!("{summary}\n"))?;
    match summary.rejected() {
        0 => Ok(()),
        rejected => bail!("{rejected} rows were rejected; the summary says where they are and why"),
    }
}
