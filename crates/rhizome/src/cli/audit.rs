//! The record of events: opening it for a server, and checking it.

use std::fmt::Write as _;
use std::path::PathBuf;

use ::audit::{Audit, Options};
use anyhow::{Context as _, bail};
use clap::{Args, Subcommand};
use rhizome::settings::{EngineName, Settings};
use serving::{DiskSpace, Quota, QuotaOptions, Watch};

#[derive(Args)]
pub(super) struct AuditArguments {
    #[command(subcommand)]
    command: AuditCommand,
}

#[derive(Subcommand)]
enum AuditCommand {
    /// Check the chain of hashes in files of audit.file, and name the first line that was changed, removed, moved or
    /// cut off. With files that were put aside (FILE.1, FILE.2), the chain is checked across them.
    Verify(VerifyArguments),
}

#[derive(Args)]
struct VerifyArguments {
    /// The files, in any order.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub(super) fn audit(arguments: &AuditArguments) -> anyhow::Result<()> {
    let AuditCommand::Verify(arguments) = &arguments.command;
    let names: Vec<String> = arguments.files.iter().map(|file| file.display().to_string()).collect();
    let report = ::audit::verify(&arguments.files).with_context(|| format!("reading {}", names.join(", ")))?;
    if let Some(problem) = report.problem {
        bail!("{problem}");
    }
    let mut text = format!("{} lines, none changed, removed, moved or cut off\n", report.lines);
    if report.lines > 0 {
        writeln!(text, "the last one: seq {}, SHA-256 {}", report.seq, report.hash)?;
    }
    super::terminal::print(&text)
}

/// Opens the record that settings ask for.
pub(super) fn open(settings: &Settings) -> anyhow::Result<Audit> {
    let of = &settings.audit;
    if of.file.as_os_str().is_empty() {
        if of.required {
            bail!("setting 'audit.required' is true, but 'audit.file' names no file to record to");
        }
        return Ok(Audit::off());
    }
    let options = Options {
        file: of.file.clone(),
        classes: of.classes()?,
        file_bytes_max: of.file_bytes_max.as_u64(),
        files_max: of.files_max,
        is_required: of.required,
        is_chained: of.chain,
        has_query_text: of.query_text,
    };
    Ok(Audit::open(options)?)
}

/// What requests are watched by.
pub(super) fn watch(settings: &Settings, audit: Audit) -> Watch {
    let of = &settings.quotas;
    let quotas = QuotaOptions {
        user: Quota {
            requests_per_second: of.user_requests_per_second,
            bytes_per_second: of.user_bytes_per_second.as_u64(),
            running_queries_max: of.user_running_queries_max,
            query_memory_max: of.user_query_memory_max.as_u64(),
        },
        graph: Quota {
            requests_per_second: of.graph_requests_per_second,
            bytes_per_second: of.graph_bytes_per_second.as_u64(),
            running_queries_max: of.graph_running_queries_max,
            query_memory_max: of.graph_query_memory_max.as_u64(),
        },
        exempt_users: of.exempt_users.clone(),
    };
    let storage = &settings.storage;
    let disk = match storage.engine {
        EngineName::Rocksdb => DiskSpace::of(storage.data_dir.clone(), storage.disk_free_min.as_u64()),
        EngineName::Memory | EngineName::Tikv | EngineName::Cassandra => DiskSpace::unwatched(),
    };
    Watch::new(audit, quotas, disk)
}
