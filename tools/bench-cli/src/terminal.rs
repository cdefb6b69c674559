//! Results on standard output, warnings on standard error.

use std::io::{ErrorKind, Write as _};

/// Writes to standard output; a closed pipe (`rhizome bench run | head`) is not an error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Reports an error that does not end the command.
pub(crate) fn warn(error: &anyhow::Error) {
    let yellow = console::style("warning:").yellow().bold().for_stderr();
    drop(writeln!(std::io::stderr(), "{yellow} {error:#}"));
}
