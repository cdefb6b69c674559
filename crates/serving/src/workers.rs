//! Which thread serves which connection.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::busy_poll::stay_awake;

/// A thread that serves connections.
///
/// Runtimes of one thread each serve short requests with less work than one of many threads: no thread has to be woken,
/// and none shares tasks or the list of ready sockets.
#[derive(Clone, Debug)]
pub struct Worker {
    /// Its runtime.
    pub runtime: Handle,
    /// The processor it is pinned to. Connections whose packets arrive there are served there, as long as others do not
    /// have many fewer.
    pub processor: Option<usize>,
}

/// The threads that serve connections, each with as many copies of its mark as it has connections.
pub struct Workers(Vec<(Worker, Arc<()>)>);

impl Workers {
    /// Takes the threads as they are.
    pub fn new(workers: &[Worker]) -> Self {
        Self(workers.iter().map(|worker| (worker.clone(), Arc::default())).collect())
    }

    /// Lets the threads look for more before they sleep.
    pub fn stay_awake(&self, limit: Duration) -> JoinSet<()> {
        let mut awake = JoinSet::new();
        for (worker, _) in self.0.iter().filter(|_| limit > Duration::ZERO) {
            awake.spawn_on(stay_awake(limit), &worker.runtime);
        }
        awake
    }

    /// Serves a connection on one of the threads. The socket belongs to the runtime at hand and has to be moved.
    pub fn spawn<S>(
        &self,
        connections: &mut JoinSet<()>,
        stream: TcpStream,
        serve: impl FnOnce(TcpStream) -> S + Send + 'static,
    ) where
        S: Future<Output = ()> + Send + 'static,
    {
        let places = self.0.iter().map(|(worker, mark)| (worker.processor, Arc::strong_count(mark) - 1));
        let Some((worker, mark)) = choose(places, incoming_processor(&stream)).and_then(|at| self.0.get(at)) else {
            connections.spawn(serve(stream));
            return;
        };
        let mark = Arc::clone(mark);
        let connection = async move {
            match stream.into_std().and_then(TcpStream::from_std) {
                Ok(stream) => serve(stream).await,
                Err(error) => tracing::warn!(%error, "a connection could not be handed to its thread"),
            }
            drop(mark);
        };
        connections.spawn_on(connection, &worker.runtime);
    }
}

/// The processor on which the connection's packets arrive, where the system tells. If the client is on this machine and
/// stays on a processor, that is the one.
fn incoming_processor(stream: &TcpStream) -> Option<usize> {
    #[cfg(target_os = "linux")]
    return rustix::net::sockopt::socket_incoming_cpu(stream).ok().and_then(|processor| processor.try_into().ok());
    #[cfg(not(target_os = "linux"))]
    {
        let _ = stream;
        None
    }
}

/// The thread that gets the next connection: of all, given by their processors and how many connections they have, the
/// one where the packets arrive, so that they stay in the caches of one processor; but not once it has half as many
/// again as the one that has the fewest, and one more. Then that gets it: packets that all arrive on one processor must
/// not leave the others idle.
fn choose(places: impl Iterator<Item = (Option<usize>, usize)> + Clone, incoming: Option<usize>) -> Option<usize> {
    let (fewest, (_, least)) = places.clone().enumerate().min_by_key(|(_, (_, connections))| *connections)?;
    let near = places.enumerate().find(|(_, (processor, _))| processor.is_some() && *processor == incoming);
    match near {
        Some((near, (_, connections))) if connections < least + least / 2 + 1 => Some(near),
        _ => Some(fewest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many connections each of two threads gets, on processors 4 and 6, of those whose packets arrive at these, in
    /// order; and how many of them where they arrive.
    fn shares(incoming: impl IntoIterator<Item = usize>) -> ([usize; 2], usize) {
        let (mut shares, mut near) = ([0, 0], 0);
        for incoming in incoming {
            let places = [(Some(4), shares[0]), (Some(6), shares[1])];
            let chosen = choose(places.into_iter(), Some(incoming)).unwrap();
            shares[chosen] += 1;
            near += usize::from(places[chosen].0 == Some(incoming));
        }
        (shares, near)
    }

    #[test]
    fn the_thread_with_the_fewest_connections_gets_the_next_without_pinning() {
        assert_eq!(choose([].into_iter(), Some(0)), None);
        assert_eq!(choose([(None, 3), (None, 1), (None, 2)].into_iter(), None), Some(1));
        assert_eq!(choose([(None, 3), (None, 1), (None, 2)].into_iter(), Some(0)), Some(1));
        assert_eq!(choose([(Some(0), 3), (Some(1), 1)].into_iter(), Some(7)), Some(1));
    }

    #[test]
    fn packets_that_arrive_everywhere_are_answered_where_they_arrive() {
        assert_eq!(shares((0..64).map(|at| [4, 6][at % 2])), ([32, 32], 64));
        let (shares, near) = shares((0..64).map(|at| [4, 6][at / 4 % 2]));
        assert!(shares[0].abs_diff(shares[1]) <= 8 && near >= 56, "{shares:?}, {near}");
    }

    #[test]
    fn packets_that_all_arrive_on_one_processor_leave_no_thread_idle() {
        assert_eq!(shares([4; 2]).0, [1, 1]);
        assert_eq!(shares([6; 4]).0, [2, 2]);
        let (many, _) = shares([4; 1000]);
        assert!(many[1] >= 390, "{many:?}");
    }
}
