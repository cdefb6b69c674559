//! Load mappings: any text gives a mapping or an error that names the file.

use std::path::Path;

use crate::text::with_text;

/// Mappings.
pub(crate) fn mapping(bytes: &[u8]) {
    with_text(bytes, |text| {
        if let Err(error) = bulk_load::parse_mapping(Path::new("mapping.json"), text) {
            assert!(error.to_string().contains("mapping.json"), "{error}");
        }
    });
}
