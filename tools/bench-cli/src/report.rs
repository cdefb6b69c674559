//! `rhizome bench report`: one page from the results of several runs.

use std::path::PathBuf;

use clap::Args;
use load_test::published::Page;
use load_test::report::Report;
use load_test::result::RunResult;
use load_test::{output, results_file};

/// Arguments of `rhizome bench report`.
#[derive(Args)]
#[command(after_help = "Example:\n  rhizome bench report monday tuesday --out week")]
pub(crate) struct ReportArguments {
    /// Folders with a results.json, or such files themselves, in the order of the page.
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
    /// Show the rows of this published page next to the runs, instead of the peaks of all pages.
    #[arg(long, value_name = "PAGE")]
    page: Option<String>,
    /// Folder to write report.html and summary.md to; created if it does not exist.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub(crate) fn report(arguments: &ReportArguments) -> anyhow::Result<()> {
    let page = arguments.page.as_deref().map(Page::named).transpose()?;
    let runs: Result<Vec<RunResult>, _> = arguments.folders.iter().map(|folder| results_file::read(folder)).collect();
    output::write_pages(&arguments.out, &Report { runs: &runs?, page, ratios: &[] })?;
    crate::terminal::print(&format!("{}\n", arguments.out.join(output::REPORT_FILE).display()))
}
