//! A place for objects that fails now and then: before or after it has done what it was asked to.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use futures::stream::{BoxStream, StreamExt as _};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};

#[derive(Debug)]
pub(crate) struct Faulty {
    inner: Arc<InMemory>,
    seed: u64,
    percent: u64,
    /// Requests after which all fail.
    dead_after: u64,
    requests: AtomicU64,
}

impl Faulty {
    pub(crate) fn new(inner: Arc<InMemory>, seed: u64, percent: u64, dead_after: u64) -> Self {
        Self { inner, seed, percent, dead_after, requests: AtomicU64::new(0) }
    }

    /// Whether the next request fails, and whether it is carried out nevertheless.
    fn plan(&self) -> (bool, bool) {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        if number >= self.dead_after {
            return (true, false);
        }
        let mut hash = (self.seed << 32 | number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 29;
        hash = hash.wrapping_mul(0xBF58_476D_1CE4_E5B9);
        hash ^= hash >> 32;
        (hash % 100 < self.percent, hash & 1 << 40 != 0)
    }

    fn error() -> Error {
        Error::Generic { store: "faulty", source: "it was told to fail".into() }
    }
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("faulty")
    }
}

#[async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        match self.plan() {
            (true, false) => Err(Self::error()),
            (true, true) => self.inner.put_opts(location, payload, opts).await.and(Err(Self::error())),
            (false, _) => self.inner.put_opts(location, payload, opts).await,
        }
    }

    async fn put_multipart_opts(&self, location: &Path, opts: PutMultipartOptions) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(location, opts).await
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        if self.plan().0 { Err(Self::error()) } else { self.inner.get_opts(location, options).await }
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        if self.plan().0 {
            futures::stream::once(async { Err(Self::error()) }).boxed()
        } else {
            self.inner.delete_stream(locations)
        }
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        if self.plan().0 {
            futures::stream::once(async { Err(Self::error()) }).boxed()
        } else {
            self.inner.list(prefix)
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}
