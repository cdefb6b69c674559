//! Which nodes can carry requests to the replicas.
//!
//! Any node takes any request and asks the replicas for it. One that is cut off from them or stands still cannot, and
//! the driver goes on choosing it while its connection holds: a third of all requests, where there are three. So a node
//! that brought no answer is chosen after the others, and one request after each [`TRIED_AGAIN_EVERY`] finds out
//! whether it can again. Where no node can, the driver's choice stands.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use scylla::cluster::{ClusterState, NodeRef};
use scylla::errors::{DbError, RequestAttemptError, WriteType};
use scylla::policies::load_balancing::{FallbackPlan, LoadBalancingPolicy, RoutingInfo};
use scylla::routing::Shard;
use uuid::Uuid;

use crate::breaker::Breaker;
use crate::limits::TRIED_AGAIN_EVERY;

tokio::task_local! {
    /// The node that was chosen for the attempt under way.
    static CHOSEN: Cell<Option<Uuid>>;
}

/// A policy that prefers nodes that bring answers.
#[derive(Debug)]
pub(crate) struct Coordinators {
    policy: Arc<dyn LoadBalancingPolicy>,
    /// Of each node that has ever failed.
    nodes: RwLock<FxHashMap<Uuid, Breaker>>,
}

impl Coordinators {
    pub(crate) fn new(policy: Arc<dyn LoadBalancingPolicy>) -> Self {
        Self { policy, nodes: RwLock::default() }
    }

    /// Runs an attempt, `None` where it took too long: then the node chosen for it has failed.
    pub(crate) async fn watch<T>(&self, attempt: impl Future<Output = Option<T>>) -> Option<T> {
        let watched = async {
            let outcome = attempt.await;
            if outcome.is_none()
                && let Some(node) = CHOSEN.with(Cell::get)
            {
                self.fails(node);
            }
            outcome
        };
        CHOSEN.scope(Cell::new(None), watched).await
    }

    /// How many nodes are chosen last.
    pub(crate) fn avoided(&self) -> u64 {
        self.nodes.read().values().filter(|node| node.is_open()).count() as u64
    }

    fn may_try(&self, node: Uuid) -> bool {
        self.nodes.read().get(&node).is_none_or(Breaker::may_try)
    }

    fn is_avoided(&self, node: Uuid) -> bool {
        self.nodes.read().get(&node).is_some_and(Breaker::is_open)
    }

    fn fails(&self, node: Uuid) {
        let known = self.nodes.read().get(&node).map(Breaker::fails);
        let worked = known.unwrap_or_else(|| {
            self.nodes.write().entry(node).or_insert_with(|| Breaker::new(TRIED_AGAIN_EVERY)).fails()
        });
        if worked {
            tracing::info!(%node, "a Cassandra node brings no answers; requests go to other nodes first");
        }
    }

    fn works(&self, node: Uuid) {
        if self.nodes.read().get(&node).is_some_and(Breaker::works) {
            tracing::info!(%node, "the Cassandra node brings answers again");
        }
    }
}

impl LoadBalancingPolicy for Coordinators {
    fn pick<'a>(
        &'a self,
        request: &'a RoutingInfo<'_>,
        cluster: &'a ClusterState,
    ) -> Option<(NodeRef<'a>, Option<Shard>)> {
        let mut picked = self.policy.pick(request, cluster)?;
        if !self.may_try(picked.0.host_id)
            && let Some(other) = self.policy.fallback(request, cluster).find(|(node, _)| !self.is_avoided(node.host_id))
        {
            picked = other;
        }
        // Not in an attempt: a request of the driver itself.
        let _ = CHOSEN.try_with(|chosen| chosen.set(Some(picked.0.host_id)));
        Some(picked)
    }

    fn fallback<'a>(&'a self, request: &'a RoutingInfo<'_>, cluster: &'a ClusterState) -> FallbackPlan<'a> {
        let plan = self.policy.fallback(request, cluster);
        if self.avoided() == 0 {
            return plan;
        }
        let (last, first): (Vec<_>, Vec<_>) = plan.partition(|(node, _)| self.is_avoided(node.host_id));
        Box::new(first.into_iter().chain(last))
    }

    fn on_request_success(&self, request: &RoutingInfo<'_>, latency: Duration, node: NodeRef<'_>) {
        self.works(node.host_id);
        // Another one was asked, too, since the first took long, and was faster.
        if let Ok(Some(first)) = CHOSEN.try_with(Cell::get)
            && first != node.host_id
        {
            self.fails(first);
        }
        self.policy.on_request_success(request, latency, node);
    }

    fn on_request_failure(
        &self,
        request: &RoutingInfo<'_>,
        latency: Duration,
        node: NodeRef<'_>,
        error: &RequestAttemptError,
    ) {
        if brought_nothing(error) {
            self.fails(node.host_id);
        }
        self.policy.on_request_failure(request, latency, node, error);
    }

    fn name(&self) -> String {
        format!("{} of nodes that bring answers", self.policy.name())
    }
}

/// Whether a node says that the replicas did not answer it. (Its log of batches fails for another node's sake.)
fn brought_nothing(error: &RequestAttemptError) -> bool {
    match error {
        RequestAttemptError::DbError(DbError::WriteTimeout { write_type, .. }, _) => *write_type != WriteType::BatchLog,
        RequestAttemptError::DbError(error, _) => matches!(
            error,
            DbError::Unavailable { .. } | DbError::ReadTimeout { .. } | DbError::Overloaded | DbError::IsBootstrapping
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use scylla::statement::Consistency;

    use super::*;

    fn coordinators() -> Coordinators {
        Coordinators::new(scylla::policies::load_balancing::DefaultPolicy::builder().build())
    }

    #[test]
    fn a_node_that_fails_is_avoided_until_it_answers() {
        let coordinators = coordinators();
        let (one, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        coordinators.fails(one);
        assert!(coordinators.is_avoided(one) && !coordinators.may_try(one));
        assert!(!coordinators.is_avoided(other) && coordinators.may_try(other));
        assert_eq!(coordinators.avoided(), 1);
        coordinators.works(one);
        assert_eq!(coordinators.avoided(), 0);
    }

    #[tokio::test]
    async fn an_attempt_that_takes_too_long_is_held_against_its_node() {
        let coordinators = coordinators();
        let node = Uuid::from_u128(1);
        let choose = || CHOSEN.with(|chosen| chosen.set(Some(node)));
        let answered = coordinators.watch(async {
            choose();
            Some(1)
        });
        assert_eq!((answered.await, coordinators.avoided()), (Some(1), 0));
        let late = coordinators.watch(async {
            choose();
            None::<u8>
        });
        assert_eq!((late.await, coordinators.avoided()), (None, 1));
    }

    #[test]
    fn a_log_of_batches_that_fails_is_not_the_nodes_fault() {
        let timeout = |write_type| {
            let error = DbError::WriteTimeout { consistency: Consistency::Two, received: 1, required: 2, write_type };
            RequestAttemptError::DbError(error, String::new())
        };
        assert!(brought_nothing(&timeout(WriteType::Simple)));
        assert!(!brought_nothing(&timeout(WriteType::BatchLog)));
    }
}
