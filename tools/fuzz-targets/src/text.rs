//! Bytes as a text.

/// Runs a function if the bytes are a text.
pub(crate) fn with_text(bytes: &[u8], read: impl FnOnce(&str)) {
    if let Ok(text) = str::from_utf8(bytes) {
        read(text);
    }
}
