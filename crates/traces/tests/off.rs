//! A request that is not sampled costs no allocation: counted by the allocator of this process, which has one test.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use traces::{Given, Options, Traces};

/// The allocator of the system, counting what this thread asks it for.
struct Counting;

thread_local! {
    static ASKED: Cell<u64> = const { Cell::new(0) };
}

#[expect(unsafe_code, reason = "an allocator is unsafe; each call goes to that of the system as it is")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends asks for memory after its variables are gone.
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const UNSAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

/// What every request does.
fn request(traces: &Traces, given: Given<'_>) {
    let place = traces.request("GET", given);
    assert!(place.is_none());
    let work = async {
        assert!(traces::here().is_none());
        traces::describe(|| unreachable!("nobody looks at it"));
        drop(traces::span("queue"));
        drop(traces::enter("execute"));
    };
    let mut work = pin!(work);
    let polled = pin!(traces::within(place.as_ref(), work.as_mut())).poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(polled, Poll::Ready(()));
}

#[test]
fn what_is_not_sampled_allocates_nothing() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let endpoint = "http://127.0.0.1:1".to_owned();
    let options = Options { endpoint, sample_ratio: 0.0, has_query_text: false, version: "0" };
    let on = Traces::start(&options, runtime.handle().clone()).unwrap();
    let given = Given { parent: Some(UNSAMPLED), state: None };
    for (traces, given) in [(&Traces::off(), given), (&Traces::off(), Given::default()), (&on, Given::default())] {
        // What a thread makes once for itself.
        request(traces, given);
        let before = ASKED.get();
        (0..1_000).for_each(|_| request(traces, given));
        assert_eq!(ASKED.get() - before, 0, "{traces:?}");
    }
}
