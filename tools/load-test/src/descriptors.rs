//! Open files: each user's connection is one.

use crate::error::LoadTestError;
use crate::limits::OTHER_DESCRIPTORS;

/// Raises the limit of open files to what this number of users needs, or says how to.
pub(crate) fn allow_connections(users: u32) -> Result<(), LoadTestError> {
    let needed = u64::from(users) + OTHER_DESCRIPTORS;
    let Ok((soft, hard)) = rlimit::Resource::NOFILE.get() else { return Ok(()) };
    if soft >= needed {
        return Ok(());
    }
    let raised = rlimit::Resource::NOFILE.set(needed, hard.max(needed)).or_else(|error| {
        // Only a privileged process may raise the hard limit; any process may raise the soft limit up to it.
        if hard >= needed { rlimit::Resource::NOFILE.set(needed, hard) } else { Err(error) }
    });
    raised.map_err(|error| LoadTestError::OpenFiles {
        users,
        needed,
        allowed: soft.max(hard),
        reason: error.to_string(),
    })
}
