//! The threads that read blocks of a frontier: one for each core, for all traversals of the process.

/// Has every one of these threads call `start` before anything else, for instance to lower its priority. Only the first
/// call in a process counts, and only before the first traversal: the threads are made once.
pub fn on_thread_start(start: impl Fn() + Send + Sync + 'static) {
    let made = rayon::ThreadPoolBuilder::new()
        .thread_name(|number| format!("traversal-{number}"))
        .start_handler(move |_| start())
        .build_global();
    // An error means that they are there already.
    drop(made);
}
