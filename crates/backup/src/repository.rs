//! A repository: opening one, and what is in it. What is done to it is in the modules below.

pub(crate) mod create;
pub(crate) mod log;
pub(crate) mod prune;
pub(crate) mod restore;
pub(crate) mod verify;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::BackupError;
use crate::crypt::Codec;
use crate::description::{DESCRIPTION, Description};
use crate::limits::{CHUNK_BYTES, MANIFEST_BYTES_MAX, SMALL_BYTES_MAX};
use crate::lock::{FENCES, Kind, Lock};
use crate::manifest::{self, Manifest};
use crate::secret::Secret;
use crate::target::Target;

/// The folder of chunks.
pub(crate) const CHUNKS: &str = "chunks";

/// Backups in one place, with the key to read them.
pub struct Repository {
    pub(crate) target: Arc<Target>,
    pub(crate) codec: Codec,
    pub(crate) niceness: u8,
    is_encrypted: bool,
}

/// A backup in a list.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its name.
    pub id: String,
    /// Its manifest, or why that cannot be read.
    pub manifest: Result<Manifest, BackupError>,
    pub(crate) object: String,
}

impl Repository {
    /// Opens the repository at a place.
    ///
    /// # Errors
    /// [`BackupError::NoRepository`], [`BackupError::Key`] for a wrong or missing key, [`BackupError::Format`] for one
    /// of a newer program, [`BackupError::Damaged`].
    pub fn open(target: Target, secret: Option<&Secret>) -> Result<Self, BackupError> {
        let stored = target.get(DESCRIPTION, SMALL_BYTES_MAX).map_err(|error| match error {
            BackupError::Missing { .. } => BackupError::NoRepository { location: target.location().to_owned() },
            other => other,
        })?;
        let description = Description::decode(&stored)?;
        let codec = description.unlock(secret)?;
        let is_encrypted = description.encryption.is_some();
        Ok(Self { target: Arc::new(target), codec, niceness: 0, is_encrypted })
    }

    /// Opens the repository at a place, or makes one if nothing is there: an encrypted one where there is a secret.
    ///
    /// # Errors
    /// As [`Self::open`], [`BackupError::NotARepository`] where there is something else.
    pub fn open_or_make(target: Target, secret: Option<&Secret>) -> Result<Self, BackupError> {
        if target.modified_ms(DESCRIPTION)?.is_none() {
            if let Some(other) = target.list("")?.into_iter().find(|other| other.name != DESCRIPTION) {
                let location = target.location().to_owned();
                return Err(BackupError::NotARepository { location, object: other.name });
            }
            let (description, _) = Description::new(secret)?;
            // Of two that make it at once, one does; both open it.
            target.put_new(DESCRIPTION, description.encode())?;
            let encrypted = secret.is_some();
            tracing::info!(location = target.location(), encrypted, "made a repository of backups");
        }
        Self::open(target, secret)
    }

    /// Has the threads that read and write chunks stand back for others, as far as this niceness says.
    #[must_use]
    pub fn standing_back(mut self, niceness: u8) -> Self {
        self.niceness = niceness;
        self.target.stand_back(niceness);
        self
    }

    /// Whether a key is needed to read it.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// Where it is, for people.
    #[must_use]
    pub fn location(&self) -> &str {
        self.target.location()
    }

    /// All backups, oldest first; also those whose manifests cannot be read.
    ///
    /// # Errors
    /// [`BackupError::Storage`].
    pub fn list(&self) -> Result<Vec<Listed>, BackupError> {
        let fenced = self.fenced()?;
        let listed = self.objects()?.into_iter().filter(|(id, _)| !fenced.contains(id)).map(|(id, object)| {
            let manifest = self.manifest(&object);
            Listed { id, manifest, object }
        });
        // One removed since it was listed is not there.
        Ok(listed.filter(|listed| !matches!(listed.manifest, Err(BackupError::Missing { .. }))).collect())
    }

    /// The backup of a name, or the newest one for `latest`.
    ///
    /// # Errors
    /// [`BackupError::NoBackup`], [`BackupError::Damaged`].
    pub fn find(&self, wanted: &str) -> Result<Manifest, BackupError> {
        let fenced = self.fenced()?;
        let mut objects = self.objects()?;
        objects.retain(|(id, _)| !fenced.contains(id));
        let found = match wanted {
            "latest" => objects.pop(),
            id => objects.into_iter().find(|(found, _)| found == id),
        };
        let (_, object) = found.ok_or_else(|| BackupError::NoBackup { wanted: wanted.to_owned() })?;
        self.manifest(&object)
    }

    /// Names of backups and objects of their manifests, oldest first; also of those that were fenced.
    pub(crate) fn objects(&self) -> Result<Vec<(String, String)>, BackupError> {
        let objects = self.target.list(manifest::FOLDER)?;
        Ok(objects
            .into_iter()
            .filter_map(|object| manifest::id_of(&object.name).map(str::to_owned).map(|id| (id, object.name)))
            .collect())
    }

    /// The backups whose makers had lost their lock.
    pub(crate) fn fenced(&self) -> Result<BTreeSet<String>, BackupError> {
        let fences = self.target.list(FENCES)?;
        Ok(fences.iter().filter_map(|fence| fence.name.rsplit('/').next().map(str::to_owned)).collect())
    }

    pub(crate) fn manifest(&self, object: &str) -> Result<Manifest, BackupError> {
        let stored = self.target.get(object, MANIFEST_BYTES_MAX + 1024)?;
        Manifest::decode(object, stored, &self.codec)
    }

    /// The chunks that are stored, and how many bytes each takes there.
    pub(crate) fn chunks(&self) -> Result<BTreeMap<String, u64>, BackupError> {
        let objects = self.target.list(CHUNKS)?;
        let name_of = |object: &str| object.rsplit('/').next().map(str::to_owned);
        Ok(objects.into_iter().filter_map(|object| Some((name_of(&object.name)?, object.bytes))).collect())
    }

    /// Reads a chunk and checks that it is what was stored.
    pub(crate) fn chunk(&self, name: &str, bytes: u64) -> Result<Vec<u8>, BackupError> {
        let object = object_of(name);
        let stored = self.target.get(&object, self.codec.stored_bytes(CHUNK_BYTES))?;
        let content = self.codec.open(&object, stored)?;
        if content.len() as u64 != bytes {
            return Err(BackupError::damaged(&object, format!("it has {} bytes instead of {bytes}", content.len())));
        }
        if self.codec.name_of(&content) != name {
            return Err(BackupError::damaged(&object, "its content does not have the checksum in its name"));
        }
        Ok(content)
    }

    /// Takes a lock for reading, so that nothing is removed meanwhile. A place that cannot be written to is read
    /// without one.
    pub(crate) fn lock_for_reading(&self, doing: &str) -> Result<Option<Lock>, BackupError> {
        let mut id = [0; 8];
        crate::crypt::random(&mut id)?;
        let id = format!("reader-{}", crate::crypt::hex(&id));
        match Lock::take(&self.target, &id, Kind::Shared, doing, true) {
            Ok(lock) => Ok(Some(lock)),
            Err(BackupError::Storage { reason, .. }) => {
                tracing::warn!(reason, "no lock on the repository: it must not be pruned meanwhile");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// The object of a chunk.
pub(crate) fn object_of(name: &str) -> String {
    format!("{CHUNKS}/{}/{name}", name.get(..2).unwrap_or_default())
}
