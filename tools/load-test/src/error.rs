//! Errors that stop a load test. Failed requests do not: they are counted in the result.

use std::path::PathBuf;

use api_client::ClientError;

/// Why a load test could not be made.
#[derive(Debug, thiserror::Error)]
pub enum LoadTestError {
    /// No built-in scenario and no file has this name.
    #[error(
        "there is no scenario \"{name}\"; the built-in ones are {known}, and a name that ends in .toml is read as \
         a file"
    )]
    UnknownScenario {
        /// The name asked for.
        name: String,
        /// The built-in ones.
        known: String,
    },

    /// A scenario file could not be read.
    #[error("cannot read the scenario file {}: {source}", path.display())]
    ReadScenario {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },

    /// A scenario is not understood.
    #[error("scenario {scenario}: {reason}")]
    Scenario {
        /// Its file or name.
        scenario: String,
        /// What is wrong, where, and what would be right.
        reason: String,
    },

    /// An option or a combination of options is invalid.
    #[error("invalid {option}: {reason}")]
    Option {
        /// The option.
        option: &'static str,
        /// What is wrong with its value.
        reason: String,
    },

    /// The address of the server is not usable or cannot be resolved.
    #[error("\"{url}\" is not a valid address: {reason}")]
    Address {
        /// The address given.
        url: String,
        /// What is wrong.
        reason: String,
    },

    /// More connections than the system allows this process.
    #[error(
        "{users} users need {needed} open files, but this process may open {allowed}, and raising that was refused \
         ({reason}). Raise it before the start with `ulimit -n {needed}`; the system's own maximum is `nofile` in \
         /etc/security/limits.conf, or LimitNOFILE= of a systemd unit"
    )]
    OpenFiles {
        /// Users asked for.
        users: u32,
        /// File descriptors needed.
        needed: u64,
        /// File descriptors allowed.
        allowed: u64,
        /// What the system said.
        reason: String,
    },

    /// This machine has no free port for another connection.
    #[error(
        "with {users} users this machine has no port left for another connection: it gives out those of \
         net.ipv4.ip_local_port_range (28,232 unless changed) to each address of a server, and keeps closed ones for a \
         minute. Use fewer users, keep connections (without --no-keep-alive), or widen the range with `sysctl -w \
         net.ipv4.ip_local_port_range=\"1024 65535\"`"
    )]
    LocalPorts {
        /// Users asked for.
        users: u32,
    },

    /// The schema or the data of the test could not be made.
    #[error("preparing {what}: {source}")]
    Prepare {
        /// What was being prepared.
        what: String,
        /// What the server or the network said.
        source: ClientError,
    },

    /// The server did something unexpected during preparation.
    #[error("preparing {what}: {reason}")]
    PrepareAnswer {
        /// What was being prepared.
        what: String,
        /// What was wrong.
        reason: String,
    },

    /// The system refused a thread, a runtime or a look at a process.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        source: std::io::Error,
    },

    /// The run was interrupted before there was anything to report.
    #[error("interrupted before there was a result")]
    Interrupted,
}
