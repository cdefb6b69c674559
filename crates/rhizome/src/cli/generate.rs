//! `rhizome generate`: graphs for testing.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use graph_gen::{Content, Progress, ScaleFactor, SnbOptions};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

#[derive(Args)]
#[command(arg_required_else_help = true)]
pub(super) struct GenerateArguments {
    #[command(subcommand)]
    graph: GeneratedGraph,
}

#[derive(Subcommand)]
enum GeneratedGraph {
    /// A social network modelled on LDBC SNB: CSV files, with the schema and the mapping to load them.
    Snb(SnbArguments),
}

#[derive(Args)]
struct SnbArguments {
    #[command(flatten)]
    size: Size,
    /// Seed of the random generator; the same seed gives the same files.
    #[arg(long, value_name = "S", default_value_t = 42)]
    seed: u64,
    /// Folder to write to; created if it does not exist.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Number of simulated years, starting in 2010.
    #[arg(long, value_name = "N", default_value_t = 3)]
    years: u32,
    /// Omit the text of messages.
    #[arg(long)]
    no_text: bool,
    /// Write ids only: vertices and edges without any properties.
    #[arg(long, conflicts_with = "no_text")]
    ids_only: bool,
}

#[derive(Args)]
#[group(required = true, multiple = false)]
struct Size {
    /// Number of persons; everything else scales with it.
    #[arg(long, value_name = "N")]
    persons: Option<u64>,
    /// Size as an LDBC scale factor: 0.1 (1.8 million elements), 1 (20 million), 10 (205 million) or 60 (1.4 billion).
    #[arg(long, value_name = "SF")]
    scale_factor: Option<ScaleFactor>,
}

impl Size {
    fn persons(&self) -> u64 {
        self.scale_factor.map(|factor| factor.persons).or(self.persons).unwrap_or_default()
    }
}

pub(super) fn generate(arguments: &GenerateArguments) -> anyhow::Result<()> {
    match &arguments.graph {
        GeneratedGraph::Snb(arguments) => generate_snb(arguments),
    }
}

fn generate_snb(arguments: &SnbArguments) -> anyhow::Result<()> {
    let content = match (arguments.ids_only, arguments.no_text) {
        (true, _) => Content::IdsOnly,
        (false, true) => Content::WithoutText,
        (false, false) => Content::Everything,
    };
    let options =
        SnbOptions::new(arguments.size.persons(), arguments.seed).with_years(arguments.years).with_content(content);
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    bar.set_style(ProgressStyle::with_template("{msg:<24} {wide_bar} {percent:>3}%  {prefix} rows")?);
    let mut report = |progress: &Progress| {
        bar.set_length(progress.total);
        bar.set_position(progress.done);
        bar.set_message(progress.stage.to_string());
        bar.set_prefix(progress.rows.to_string());
    };
    let summary = graph_gen::generate(&options, &arguments.out, &mut report)?;
    bar.finish_and_clear();
    let out = arguments.out.display();
    super::terminal::print(&format!(
        "{} vertices and {} edges in {} files under {out}\n\nLoad them into a running server:\n  \
         rhizome load --schema {out}/schema.json --mapping {out}/mapping.json\n",
        summary.vertices(),
        summary.edges(),
        summary.files.len(),
    ))
}
