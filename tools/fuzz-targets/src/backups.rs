//! What repositories of backups hold, whoever may have written it.

use backup::Manifest;
use backup::limits::CHUNK_BYTES;

/// A manifest that is taken names files that a restore may write, and is the same when it is written and read again.
pub(crate) fn backup_manifest(bytes: &[u8]) {
    let Ok(manifest) = Manifest::parse(bytes) else { return };
    for file in &manifest.files {
        assert!(!file.name.contains(['/', '\\', '\0']) && !file.name.starts_with('.'), "{}", file.name);
        assert_eq!(file.bytes.div_ceil(CHUNK_BYTES), file.chunks.len() as u64, "{}", file.name);
        assert!(file.chunks.iter().all(|chunk| chunk.len() == 64 && !chunk.contains(['/', '.'])));
    }
    let again = serde_json::to_vec(&manifest).expect("a manifest is JSON");
    assert_eq!(Manifest::parse(&again).expect("what was written is read"), manifest);
    let _ = (manifest.bytes(), manifest.created());
}
