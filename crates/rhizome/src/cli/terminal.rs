//! What commands write for people.

use std::io::Write as _;

/// The error and its causes in one line. Many errors include their cause in their own text; it is not repeated.
pub(super) fn whole_text(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Writes to standard output; a closed pipe (`rhizome config | head`) is not an error.
pub(super) fn print(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let plain = anyhow::anyhow!("no such file").context("reading the mapping");
        assert_eq!(whole_text(&plain), "reading the mapping: no such file");
        let named = anyhow::anyhow!("no such file").context("cannot read m.json: no such file");
        assert_eq!(whole_text(&named), "cannot read m.json: no such file");
    }
}
