//! `rhizome generate`: graphs to try things with.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use graph_gen::{Progress, SnbOptions};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

#[derive(Args)]
#[command(arg_required_else_help = true)]
pub(super) struct GenerateArguments {
    #[command(subcommand)]
    graph: GeneratedGraph,
}

#[derive(Subcommand)]
enum GeneratedGraph {
    /// A social network like that of LDBC SNB: CSV files, with the schema and the mapping to load them.
    Snb(SnbArguments),
}

#[derive(Args)]
struct SnbArguments {
    /// Number of persons; everything else grows with them.
    #[arg(long, value_name = "N")]
    persons: u64,
    /// The same seed gives the same files.
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,
    /// Folder to write to; made if it does not exist.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Simulated years, from 2010.
    #[arg(long, value_name = "N", default_value_t = 3)]
    years: u32,
    /// Leave the text of messages out.
    #[arg(long)]
    no_text: bool,
}

pub(super) fn generate(arguments: &GenerateArguments) -> anyhow::Result<()> {
    match &arguments.graph {
        GeneratedGraph::Snb(arguments) => generate_snb(arguments),
    }
}

fn generate_snb(arguments: &SnbArguments) -> anyhow::Result<()> {
    let options =
        SnbOptions::new(arguments.persons, arguments.seed).with_years(arguments.years).with_text(!arguments.no_text);
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(ProgressStyle::with_template("{msg:<24} {wide_bar} {percent:>3} %  {prefix} rows")?);
    let mut report = |progress: &Progress| {
        bar.set_length(progress.total);
        bar.set_position(progress.done);
        bar.set_message(progress.stage.to_string());
        bar.set_prefix(progress.rows.to_string());
    };
    let summary = graph_gen::generate(&options, &arguments.out, &mut report)?;
    bar.finish_and_clear();
    let out = arguments.out.display();
    super::print(&format!(
        "{} vertices and {} edges in {} files under {out}\n\nLoad them into a running server:\n  \
         rhizome load --schema {out}/schema.json --mapping {out}/mapping.json\n",
        summary.vertices(),
        summary.edges(),
        summary.files.len(),
    ))
}
