//! Which part of the ring of tokens a scan of a whole table asks for next.
//!
//! Tokens are hashes, so the rows of a table lie about evenly on the ring, and what was read so far tells how wide a
//! range has to be for a page. A small table is one request; a large one is read in ranges of a size that can be kept
//! in memory, several at once.

use std::sync::Arc;
use std::time::Duration;

use scylla::cluster::{ClusterState, NodeRef};
use scylla::errors::RequestAttemptError;
use scylla::policies::load_balancing::{FallbackPlan, LoadBalancingPolicy, RoutingInfo};
use scylla::routing::partitioner::{Murmur3Partitioner, Partitioner as _};
use scylla::routing::{Shard, Token};

use crate::limits::{RANGE_BYTES, RANGE_CHANGE_MAX};

/// No partition has this token: nodes give the largest one to what hashes to it.
pub(crate) const BEFORE_ALL: i64 = i64::MIN;

/// The last token of all.
pub(crate) const LAST: i64 = i64::MAX;

/// The token of a partition: its place in the order of partitions.
pub(crate) fn token_of(partition: &[u8]) -> Token {
    Murmur3Partitioner.hash_one(partition)
}

/// Tokens after the first and up to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TokenRange {
    pub(crate) after: i64,
    pub(crate) upto: i64,
}

impl TokenRange {
    pub(crate) fn is_empty(self) -> bool {
        self.after >= self.upto
    }

    /// Splits the range into parts of equal width, or fewer if it is narrow.
    pub(crate) fn parts(self, count: u64) -> Vec<Self> {
        let width = (self.width() / count.max(1)).max(1);
        let mut parts = Vec::new();
        let mut left = self;
        while !left.is_empty() {
            let end = left.after.saturating_add_unsigned(width);
            // What the division leaves over goes to the last one.
            let upto = if parts.len() as u64 + 1 >= count { left.upto } else { end.min(left.upto) };
            parts.push(Self { after: left.after, upto });
            left.after = upto;
        }
        parts
    }

    /// How many tokens it has.
    fn width(self) -> u64 {
        if self.is_empty() { 0 } else { self.upto.abs_diff(self.after) }
    }
}

/// What of the ring nobody has begun to read.
#[derive(Debug)]
pub(crate) struct Ranges {
    left: TokenRange,
    /// Tokens of the nodes, rising: replicas change there.
    ring: Vec<i64>,
    /// How many tokens a range should have.
    width: u64,
}

impl Ranges {
    /// What comes after a first range that held `bytes`.
    pub(crate) fn after(first: TokenRange, bytes: u64, ring: Vec<i64>) -> Self {
        let left = TokenRange { after: first.upto, upto: LAST };
        Self { left, ring, width: fitting(first, bytes) }
    }

    /// Takes into account what the last range held.
    pub(crate) fn learn(&mut self, range: TokenRange, bytes: u64) {
        self.width = fitting(range, bytes);
    }

    /// The next range. It ends where replicas change if that is near its end, so that most are answered by one set of
    /// replicas, and a table with few rows does not cost a request for each token of each node.
    pub(crate) fn next(&mut self) -> Option<TokenRange> {
        if self.left.is_empty() {
            return None;
        }
        let width = self.width;
        let (near, far) = (width / 2, width.saturating_add(width / 2));
        let after = self.left.after;
        let at = |distance: u64| after.saturating_add_unsigned(distance);
        let end = match self.ring.partition_point(|token| *token <= at(far)).checked_sub(1) {
            Some(last) => self.ring.get(last).copied().filter(|token| *token > at(near)),
            None => None,
        };
        let mut upto = end.unwrap_or(at(width));
        // A rest of less than half a range is not worth a request of its own.
        if LAST.abs_diff(upto) <= near {
            upto = LAST;
        }
        self.left.after = upto;
        Some(TokenRange { after, upto })
    }
}

/// The number of tokens for the next range, given the bytes in the last one. A range that is empty or has a large
/// partition says little about the next.
fn fitting(last: TokenRange, bytes: u64) -> u64 {
    let width = u128::from(last.width());
    let change = u128::from(RANGE_CHANGE_MAX);
    let fitting = width * u128::from(RANGE_BYTES) / u128::from(bytes.max(1));
    u64::try_from(fitting.clamp(width / change, width * change)).unwrap_or(u64::MAX).max(2)
}

/// The tokens of all nodes, rising.
pub(crate) fn ring(cluster: &ClusterState) -> Vec<i64> {
    cluster.replica_locator().ring().iter().map(|(token, _)| token.value()).collect()
}

/// Sends a request to the replicas of a token, which the driver cannot see in a statement that names no partition.
#[derive(Debug)]
pub(crate) struct ToReplicas {
    pub(crate) of: Token,
    pub(crate) policy: Arc<dyn LoadBalancingPolicy>,
}

impl ToReplicas {
    fn routed<'a>(&self, request: &RoutingInfo<'a>) -> RoutingInfo<'a> {
        let mut routed = request.clone();
        routed.token = Some(self.of);
        routed
    }
}

impl LoadBalancingPolicy for ToReplicas {
    fn pick<'a>(
        &'a self,
        request: &'a RoutingInfo<'_>,
        cluster: &'a ClusterState,
    ) -> Option<(NodeRef<'a>, Option<Shard>)> {
        let routed = self.routed(request);
        let (node, shard) = self.policy.pick(&routed, cluster)?;
        Some((cluster.get_node_by_host_id(node.host_id)?, shard))
    }

    fn fallback<'a>(&'a self, request: &'a RoutingInfo<'_>, cluster: &'a ClusterState) -> FallbackPlan<'a> {
        let routed = self.routed(request);
        let plan: Vec<_> = self
            .policy
            .fallback(&routed, cluster)
            .filter_map(|(node, shard)| Some((cluster.get_node_by_host_id(node.host_id)?, shard)))
            .collect();
        Box::new(plan.into_iter())
    }

    fn on_request_success(&self, request: &RoutingInfo<'_>, latency: Duration, node: NodeRef<'_>) {
        self.policy.on_request_success(request, latency, node);
    }

    fn on_request_failure(
        &self,
        request: &RoutingInfo<'_>,
        latency: Duration,
        node: NodeRef<'_>,
        error: &RequestAttemptError,
    ) {
        self.policy.on_request_failure(request, latency, node, error);
    }

    fn name(&self) -> String {
        format!("{} of a token", self.policy.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: TokenRange = TokenRange { after: BEFORE_ALL, upto: -(1 << 62) };

    /// All ranges, each holding as many bytes as its share of the ring.
    fn all(mut ranges: Ranges, bytes_of_ring: u128) -> Vec<TokenRange> {
        let mut found = Vec::new();
        while let Some(range) = ranges.next() {
            let bytes = (u128::from(range.width()) * bytes_of_ring) >> 64;
            ranges.learn(range, u64::try_from(bytes).unwrap());
            found.push(range);
        }
        found
    }

    fn assert_whole(found: &[TokenRange], after: i64) {
        let mut at = after;
        for range in found {
            assert_eq!(range.after, at);
            assert!(range.upto > at);
            at = range.upto;
        }
        assert_eq!(at, LAST);
    }

    #[test]
    fn ranges_follow_one_another_to_the_end_of_the_ring() {
        for bytes_of_ring in [0, 1, 1 << 10, 1 << 20, 1 << 27] {
            let first_bytes = u64::try_from(bytes_of_ring / 4).unwrap();
            for ring in [vec![], vec![i64::MIN + 1], vec![-5, 0, 1 << 40, LAST], (0..256).map(|n| n << 55).collect()] {
                assert_whole(&all(Ranges::after(FIRST, first_bytes, ring), bytes_of_ring), FIRST.upto);
            }
        }
    }

    #[test]
    fn ranges_hold_what_was_aimed_at() {
        let bytes_of_ring = u128::from(RANGE_BYTES) * 1_000;
        let first = TokenRange { after: BEFORE_ALL, upto: BEFORE_ALL + (1 << 54) };
        let found = all(Ranges::after(first, RANGE_BYTES, Vec::new()), bytes_of_ring);
        assert!((900..1_100).contains(&found.len()), "{}", found.len());
    }

    #[test]
    fn one_large_partition_does_not_make_the_rest_many_ranges() {
        let first = TokenRange { after: BEFORE_ALL, upto: BEFORE_ALL + (1 << 40) };
        let found = all(Ranges::after(first, 1 << 40, Vec::new()), 0);
        assert!(found.len() < 20, "{}", found.len());
    }

    #[test]
    fn what_was_read_first_is_believed_step_by_step() {
        let first = TokenRange { after: 0, upto: 1_000 };
        let mut ranges = Ranges::after(first, 10, Vec::new());
        assert_eq!(ranges.next(), Some(TokenRange { after: 1_000, upto: 1_000 + 1_000 * RANGE_CHANGE_MAX as i64 }));
    }

    #[test]
    fn ranges_end_where_replicas_change_if_that_is_near() {
        let first = TokenRange { after: 0, upto: 1_000 };
        // A range is to have 1,000 tokens.
        for (ring, end) in
            [(vec![1_400], 2_000), (vec![1_600], 1_600), (vec![2_400], 2_400), (vec![1_600, 1_900, 2_600], 1_900)]
        {
            let mut ranges = Ranges::after(first, RANGE_BYTES, ring.clone());
            assert_eq!(ranges.next(), Some(TokenRange { after: 1_000, upto: end }), "{ring:?}");
        }
    }

    #[test]
    fn parts_are_the_whole_range() {
        for after in [BEFORE_ALL, 0, LAST - 2, LAST] {
            let parts = TokenRange { after, upto: LAST }.parts(4);
            assert_whole(&parts, after);
            assert_eq!(parts.len() as u64, LAST.abs_diff(after).min(4));
        }
    }

    #[test]
    fn nothing_comes_after_the_last_token() {
        let first = TokenRange { after: BEFORE_ALL, upto: LAST };
        assert_eq!(Ranges::after(first, 100, vec![0]).next(), None);
    }
}
