//! What can go wrong with an embedded database.

/// A failed operation of an embedded database.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The store refused or failed.
    #[error(transparent)]
    Store(#[from] graph_store::StoreError),
    /// The engine could not be opened, or failed.
    #[error(transparent)]
    Engine(#[from] kv::KvError),
    /// The embedded settings could not be used.
    #[error(transparent)]
    Settings(#[from] crate::settings::SettingsError),
    /// No label of this name.
    #[error("there is no {kind} label '{name}'")]
    UnknownLabel {
        /// `vertex` or `edge`.
        kind: &'static str,
        /// The name given.
        name: String,
    },
}
