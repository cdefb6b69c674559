//! The drivers against a server that delays, fails and lies. Times are asserted only as bounds that hold by
//! construction: nothing can be faster than the server's own pauses, on a machine however busy.

mod scripted;

use std::sync::atomic::Ordering;
use std::time::Duration;

use load_test::result::{DriverKind, ErrorClass, Row};
use load_test::{Cancel, DataOptions, Load, LoadTest, Loads, Raise, Scenario, ScenarioOptions, Silent, StressOptions};
use scripted::{Reply, Server, options, read, run, run_until};

const MS: Duration = Duration::from_millis(1);

fn users(concurrency: u32) -> Loads {
    Loads::List(vec![Load::users(concurrency)])
}

fn errors(row: &Row, class: ErrorClass) -> u64 {
    row.errors.iter().find(|errors| errors.class == class).map_or(0, |errors| errors.count)
}

#[tokio::test(flavor = "multi_thread")]
async fn latency_is_what_the_server_took() {
    // One of ten takes 60 ms, the others 6 ms.
    let server =
        Server::start(|seen| Reply::ok_after(if seen.number.is_multiple_of(10) { 60 * MS } else { 6 * MS })).await;
    let (result, witness) = run(&server, &read(), &options(DriverKind::Closed, 1000 * MS), &users(8)).await;
    let row = &result.rows[0];
    let latency = row.latency;
    // The histogram is exact to within 0.1%.
    assert!(latency.min_us as f64 >= 6_000.0 * 0.999, "{latency:?}");
    assert!(latency.p95_us as f64 >= 60_000.0 * 0.999, "{latency:?}");
    assert!(latency.mean_us >= 11_000.0 * 0.95, "{latency:?}");
    assert!(row.errors.is_empty() && row.samples == *server.state.requests.borrow());
    // The figures are those of the samples themselves.
    let mut times: Vec<u64> = witness.samples[0].samples.iter().map(|sample| sample.elapsed_us).collect();
    times.sort_unstable();
    assert_eq!((times.len() as u64, witness.samples[0].stride), (row.samples, 1));
    let near =
        |figure: f64, exact: f64| assert!((figure - exact).abs() <= exact * 0.001 + 1.0, "{figure} is not {exact}");
    let at = |per_cent: usize| times[(per_cent * times.len()).div_ceil(100) - 1] as f64;
    near(latency.mean_us, times.iter().sum::<u64>() as f64 / times.len() as f64);
    for (figure, share) in [(latency.p50_us, 50), (latency.p90_us, 90), (latency.p99_us, 99), (latency.max_us, 100)] {
        near(figure as f64, at(share));
    }
    // The series holds the same requests.
    assert_eq!(row.series.iter().map(|second| second.completed).sum::<u64>(), row.samples);
    // Answers are 11 bytes and come with heads.
    assert_eq!(result.answer_bytes, 11);
    assert!(row.kb_per_s * 1024.0 * row.duration_s >= 11.0 * row.samples as f64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_ends_when_it_has_had_enough_requests() {
    let server = Server::start(|_| Reply::ok_after(MS)).await;
    let mut options = options(DriverKind::Closed, Duration::from_secs(600));
    options.requests_max = Some(37);
    let (result, _) = run(&server, &read(), &options, &users(4)).await;
    let row = &result.rows[0];
    assert_eq!((row.samples, *server.state.requests.borrow()), (37, 37));
    // Its time is that of the requests, not the one it might have taken.
    assert!(row.duration_s < 600.0 && row.throughput_per_s > 37.0 / 600.0, "{row:?}");

    // A scenario may have a limit of its own.
    let mut scenario = read();
    scenario.requests_max = Some(11);
    let (result, _) = run(&server, &scenario, &options, &users(4)).await;
    assert_eq!(result.rows[0].samples, 11);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_error_has_its_class() {
    let server = Server::start(|seen| match seen.number {
        3 => Reply::Hang,
        number if number % 5 == 1 => Reply::After(MS, 500, "broken".into()),
        number if number % 5 == 2 => Reply::After(MS, 200, "{\"ok\":false}".into()),
        number if number % 5 == 4 => Reply::Close,
        _ => Reply::ok_after(MS),
    })
    .await;
    let mut options = options(DriverKind::Closed, 500 * MS);
    options.request_timeout = Duration::from_secs(5);
    let (result, _) = run(&server, &read(), &options, &users(5)).await;
    let row = &result.rows[0];
    let sent = *server.state.requests.borrow();
    let of_five = |remainder: u64| (0..sent).filter(|number| number % 5 == remainder).count() as u64;
    assert_eq!(row.samples, sent);
    assert_eq!(errors(row, ErrorClass::Status), of_five(1));
    assert_eq!(errors(row, ErrorClass::WrongAnswer), of_five(2));
    assert_eq!(errors(row, ErrorClass::Connect), of_five(4));
    assert_eq!(errors(row, ErrorClass::Timeout), 1);
    let all: u64 = row.errors.iter().map(|errors| errors.count).sum();
    assert!((row.error_percent - 100.0 * all as f64 / sent as f64).abs() < 1e-9);
    let example = |class| &row.errors.iter().find(|errors| errors.class == class).unwrap().examples[0];
    assert_eq!(example(ErrorClass::Status), "status 500: broken");
    assert!(example(ErrorClass::WrongAnswer).contains("{\"ok\":false}"));
    assert!(example(ErrorClass::Timeout).contains("5000 ms"));
    // The request without an answer took as long as was waited for it.
    assert!(row.latency.max_us as f64 >= 5_000_000.0 * 0.999);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_gone_is_a_connect_error() {
    let mut server = Server::start(|_| Reply::ok()).await;
    let client = api_client::ClientOptions { url: server.url.clone(), ..api_client::ClientOptions::default() };
    let mut test = LoadTest::connect(client, DataOptions::default()).await.unwrap();
    server.stop().await;
    let options = options(DriverKind::Closed, 300 * MS);
    let result = test.run(&read(), &options, &users(3), &mut Silent, &Cancel::default()).await.unwrap();
    let row = &result.rows[0];
    assert!(row.samples >= 3);
    assert_eq!(errors(row, ErrorClass::Connect), row.samples);
    // Refused users pause: three of them for 300 ms at 100 ms each.
    assert!(row.samples <= 3 * 4, "{}", row.samples);
}

#[tokio::test(flavor = "multi_thread")]
async fn open_latency_includes_the_wait_for_a_connection() {
    // 200 requests in a second, but one connection that takes 20 ms for each: the last one ends after 4 s at best.
    let server = Server::start(|_| Reply::ok_after(20 * MS)).await;
    let mut options = options(DriverKind::Open, 1000 * MS);
    options.rate_per_s = 200.0;
    let (result, _) = run(&server, &read(), &options, &users(1)).await;
    let row = &result.rows[0];
    assert_eq!(row.samples, 200);
    assert!(row.errors.is_empty(), "{:?}", row.errors);
    assert!(row.latency.max_us as f64 >= 3_000_000.0 * 0.999, "{:?}", row.latency);
    // Half of them wait at least for the backlog that the first half left.
    assert!(row.latency.p50_us as f64 >= 1_480_000.0, "{:?}", row.latency);
    assert_eq!(row.offered_per_s, Some(200.0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_wait_is_an_overflow() {
    let server = Server::start(|_| Reply::ok_after(50 * MS)).await;
    let mut options = options(DriverKind::Open, 1000 * MS);
    options.rate_per_s = 500.0;
    options.queue_max = 10;
    let (result, _) = run(&server, &read(), &options, &users(2)).await;
    let row = &result.rows[0];
    // Every start is accounted for, sent or not.
    assert_eq!(row.samples, 500);
    let overflow = errors(row, ErrorClass::Overflow);
    assert_eq!(overflow + *server.state.requests.borrow(), 500);
    // Two connections answer 20 a second each; 10 more may wait.
    assert!(overflow >= 500 - 2 * 21 - 2 * 10, "{overflow}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paced_user_does_not_catch_up() {
    // The first request of each user takes 500 ms; the others nothing.
    let server = Server::start(|seen| Reply::ok_after(if seen.number < 5 { 500 * MS } else { Duration::ZERO })).await;
    let mut options = options(DriverKind::Paced, 1000 * MS);
    options.pacing = 100 * MS;
    let (result, _) = run(&server, &read(), &options, &users(5)).await;
    let row = &result.rows[0];
    assert_eq!(row.offered_per_s, Some(50.0));
    // One start and, half a second later, at most one every 100 ms; users that catch up would send 10 each. The first
    // five requests may come from fewer than five users on a busy machine, so one user may have all its ten.
    assert!(row.samples <= 5 * 6 + 4, "{}", row.samples);
    assert!(row.samples >= 5);
    assert!(row.latency.max_us as f64 >= 500_000.0 * 0.999);
}

#[tokio::test(flavor = "multi_thread")]
async fn warm_up_does_not_count() {
    let server = Server::start(|_| Reply::ok_after(5 * MS)).await;
    let mut options = options(DriverKind::Closed, 300 * MS);
    options.warm_up = 300 * MS;
    let (result, _) = run(&server, &read(), &options, &users(4)).await;
    let sent = *server.state.requests.borrow();
    assert!(result.rows[0].samples > 0 && result.rows[0].samples < sent, "{} of {sent}", result.rows[0].samples);
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_kept_or_not() {
    let server = Server::start(|_| Reply::ok_after(MS)).await;
    let mut options = options(DriverKind::Closed, 200 * MS);
    run(&server, &read(), &options, &users(3)).await;
    assert_eq!(server.state.connections.load(Ordering::SeqCst), 3);
    let kept = *server.state.requests.borrow();
    options.keep_alive = false;
    run(&server, &read(), &options, &users(3)).await;
    let sent = *server.state.requests.borrow() - kept;
    assert_eq!(server.state.connections.load(Ordering::SeqCst) - 3, sent);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stress_search_finds_the_known_limit() {
    let refuse_above_12 = |seen: &scripted::Seen| {
        if seen.in_flight > 12 { Reply::After(MS, 503, "busy".into()) } else { Reply::ok_after(100 * MS) }
    };
    let server = Server::start(refuse_above_12).await;
    let options = options(DriverKind::Closed, 400 * MS);
    let stress = StressOptions { from: 4, to: 100, raise: Raise::Step(4), error_percent_max: 0.0, latency_max: None };
    let (result, _) = run(&server, &read(), &options, &Loads::Stress { options: stress, concurrency: 1 }).await;
    let tried: Vec<u32> = result.rows.iter().map(|row| row.concurrency).collect();
    assert_eq!((tried, result.peak), (vec![4, 8, 12, 16], Some(2)));
    let stress = StressOptions { from: 3, raise: Raise::Bisect(1), ..stress };
    let (result, _) = run(&server, &read(), &options, &Loads::Stress { options: stress, concurrency: 1 }).await;
    let peak = result.peak.map(|peak| result.rows[peak].concurrency);
    assert_eq!(peak, Some(12));
    assert!(result.rows.iter().is_sorted_by_key(|row| row.concurrency));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interruption_keeps_the_results_so_far() {
    let server = Server::start(|seen| if seen.number == 60 { Reply::Hang } else { Reply::ok_after(MS) }).await;
    let cancel = Cancel::default();
    let (told, mut requests) = (cancel.clone(), server.state.requests.subscribe());
    let waiting = tokio::spawn(async move {
        requests.wait_for(|requests| *requests > 100).await.unwrap();
        told.cancel();
    });
    let mut options = options(DriverKind::Closed, Duration::from_secs(600));
    options.request_timeout = Duration::from_secs(600);
    let loads = Loads::List(vec![Load::users(4), Load::users(8)]);
    let (result, _) = run_until(&server, &read(), &options, &loads, &cancel).await;
    waiting.await.unwrap();
    assert_eq!(result.rows.len(), 1);
    let row = &result.rows[0];
    assert!(row.samples >= 90 && row.duration_s < 600.0, "{} in {}", row.samples, row.duration_s);
    assert!(row.throughput_per_s > 0.0 && row.latency.p50_us >= 1_000);
    assert!(row.unfinished >= 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn threads_may_end_long_after_one_another() {
    let server = Server::start(|seen| Reply::ok_after(if seen.number == 0 { 1500 * MS } else { 5 * MS })).await;
    let mut options = options(DriverKind::Closed, 300 * MS);
    options.client_threads = 2;
    let (result, _) = run(&server, &read(), &options, &users(2)).await;
    let row = &result.rows[0];
    assert_eq!(row.samples, *server.state.requests.borrow());
    assert!(row.duration_s >= 1.5 && row.errors.is_empty(), "{} s, {:?}", row.duration_s, row.errors);
}

#[tokio::test(flavor = "multi_thread")]
async fn samples_are_bounded() {
    let server = Server::start(|_| Reply::ok()).await;
    let mut options = options(DriverKind::Closed, 500 * MS);
    options.samples_max = 10;
    options.client_threads = 2;
    let (result, witness) = run(&server, &read(), &options, &users(4)).await;
    let kept = &witness.samples[0];
    assert!(result.rows[0].samples > 20);
    assert!(kept.samples.len() <= 10 && !kept.samples.is_empty() && kept.stride > 1, "{}", kept.stride);
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_rendered_and_ids_counted() {
    let text = r#"
        name = "write and read"
        [[request]]
        label = "write"
        method = "POST"
        path = "/batch?run=${seq}"
        body = '{"n":${seq},"r":${random:7:7}}'
        batch = 3
        status = [201]
        count_ids = true
        contains = '${seq}'
        weight = 2
        [[request]]
        label = "read"
        method = "GET"
        path = "graph/vertices/1"
    "#;
    let scenario = Scenario::parse("test", text, &ScenarioOptions::default()).unwrap();
    let server = Server::start(|seen| {
        if seen.body.is_empty() {
            return Reply::ok();
        }
        // The numbers sent come back as ids; every tenth answer leaves one out.
        let numbers: Vec<&str> = seen.body.split("\"n\":").skip(1).filter_map(|rest| rest.split(',').next()).collect();
        assert!(numbers.len() == 3 && seen.body.starts_with('[') && seen.body.contains("\"r\":7}"), "{}", seen.body);
        let ids = if seen.number % 10 == 9 { &numbers[1..] } else { &numbers[..] };
        Reply::After(Duration::ZERO, 201, format!("[{}]", ids.join(",")))
    })
    .await;
    let (result, _) = run(&server, &scenario, &options(DriverKind::Closed, 400 * MS), &users(4)).await;
    let row = &result.rows[0];
    assert!((result.elements_per_request - 7.0 / 3.0).abs() < 1e-9);
    let labels: Vec<&str> = row.requests.iter().map(|request| request.label.as_str()).collect();
    assert_eq!(labels, ["write", "read"]);
    assert_eq!(row.requests.iter().map(|request| request.samples).sum::<u64>(), row.samples);
    let wrong = errors(row, ErrorClass::WrongAnswer);
    assert!(wrong > 0 && row.errors.len() == 1, "{:?}", row.errors);
    assert_eq!(row.requests[0].errors, wrong);
    // Wrong answers bring no elements.
    let elements = (row.requests[0].samples - wrong) * 3 + row.requests[1].samples;
    assert!((row.elements_per_s * row.duration_s - elements as f64).abs() < 0.5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stall_shows_in_the_series() {
    // The second request takes longer than a bucket: one second without an answer at least.
    let server = Server::start(|seen| Reply::ok_after(if seen.number == 1 { 2500 * MS } else { 50 * MS })).await;
    let (result, _) = run(&server, &read(), &options(DriverKind::Closed, 3000 * MS), &users(1)).await;
    let series = &result.rows[0].series;
    let seconds: Vec<u32> = series.iter().map(|second| second.second).collect();
    assert!(series.len() >= 3 && (0..).zip(&seconds).all(|(index, second)| index == *second), "{seconds:?}");
    assert!(series.iter().any(|second| second.completed == 0), "{series:?}");
}

/// Cancels once the server has seen this many requests.
fn cancel_after(server: &Server, requests: u64) -> Cancel {
    let cancel = Cancel::default();
    let (told, mut seen) = (cancel.clone(), server.state.requests.subscribe());
    tokio::spawn(async move {
        drop(seen.wait_for(|seen| *seen > requests).await);
        told.cancel();
    });
    cancel
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interruption_makes_no_overflow() {
    let server = Server::start(|_| Reply::ok_after(20 * MS)).await;
    let mut options = options(DriverKind::Open, Duration::from_secs(600));
    options.rate_per_s = 1_000.0;
    let cancel = cancel_after(&server, 10);
    let (result, _) = run_until(&server, &read(), &options, &users(1), &cancel).await;
    let row = &result.rows[0];
    assert!(row.cut_short && row.samples > 0 && row.errors.is_empty(), "{row:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_row_that_was_cut_short_is_no_peak() {
    let server = Server::start(|_| Reply::ok_after(MS)).await;
    let cancel = cancel_after(&server, 50);
    let stress = StressOptions { from: 2, to: 100, raise: Raise::Step(2), error_percent_max: 0.0, latency_max: None };
    let loads = Loads::Stress { options: stress, concurrency: 1 };
    let options = options(DriverKind::Closed, Duration::from_secs(600));
    let (result, _) = run_until(&server, &read(), &options, &loads, &cancel).await;
    assert_eq!((result.rows.len(), result.peak), (1, None));
}
