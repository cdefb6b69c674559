//! Members of a forum.

use crate::draw::Draw;
use crate::limits::GAP_MS;

/// A member and when it joined.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member {
    pub(crate) person: u32,
    pub(crate) joined_ms: u64,
}

/// One of the members (sorted by the date they joined) who joined at least a gap before `at_ms`.
pub(crate) fn present(members: &[Member], at_ms: u64, draw: &mut Draw) -> Option<u32> {
    let count = members.partition_point(|member| member.joined_ms + GAP_MS <= at_ms);
    members.get(..count).and_then(|early| draw.of(early)).map(|member| member.person)
}
