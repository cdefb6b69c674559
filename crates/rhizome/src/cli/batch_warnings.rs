//! Nodes of Cassandra warn of every batch above their `batch_size_warn_threshold`, which is lower than what servers
//! send; the driver logs each of these warnings.

use std::fmt::Debug;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// How often such a warning is shown.
const EVERY: Duration = Duration::from_secs(3_600);

/// The module of the driver that logs what nodes warn of, and the field with their words.
const MODULE: &str = "scylla::network::connection";
const FIELD: &str = "warning";

/// What nodes say of a batch above the threshold.
const WORDS: &str = "exceeding specified threshold";

/// Lets one warning of a large batch an hour through, and everything else.
#[derive(Default)]
pub(super) struct BatchWarnings {
    shown: Mutex<Option<Instant>>,
}

impl BatchWarnings {
    fn is_wanted(&self, event: &Event<'_>) -> bool {
        if event.metadata().module_path() != Some(MODULE) || !is_of_batch(event) {
            return true;
        }
        let Ok(mut shown) = self.shown.lock() else { return true };
        let is_due = shown.is_none_or(|at| at.elapsed() >= EVERY);
        if is_due {
            *shown = Some(Instant::now());
        }
        is_due
    }
}

impl<S: Subscriber> Layer<S> for BatchWarnings {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        self.is_wanted(event)
    }
}

fn is_of_batch(event: &Event<'_>) -> bool {
    struct Words(bool);
    impl Visit for Words {
        fn record_str(&mut self, field: &Field, value: &str) {
            self.0 |= field.name() == FIELD && value.starts_with("Batch") && value.contains(WORDS);
        }

        fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
    }
    let mut words = Words(false);
    event.record(&mut words);
    words.0
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    struct Count(Arc<AtomicUsize>);

    impl<S: Subscriber> Layer<S> for Count {
        fn on_event(&self, _: &Event<'_>, _: Context<'_, S>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn of_many_warnings_of_batches_one_is_shown_and_others_are_not_touched() {
        let count = Arc::new(AtomicUsize::new(0));
        let shown = tracing_subscriber::registry().with(Count(Arc::clone(&count))).with(BatchWarnings::default());
        let of_batch = |size: u32| format!("Batch for [g.edge_out] is of size {size}KiB, {WORDS} of 5KiB by 1KiB.");
        let warn = |words: &str| {
            tracing::event!(target: "node", tracing::Level::WARN, warning = words, "elsewhere");
        };
        tracing::subscriber::with_default(shown, || {
            for size in 6..16 {
                driver::warn(&of_batch(size));
            }
            assert_eq!(count.swap(0, Ordering::Relaxed), 1);
            driver::warn("Read 5000 live rows and 100001 tombstone cells");
            warn(&of_batch(6));
            assert_eq!(count.load(Ordering::Relaxed), 2, "by other modules, and of something else");
        });
    }

    /// Logs as the driver does.
    mod driver {
        use tracing::callsite::{Callsite, DefaultCallsite, Identifier};
        use tracing::field::FieldSet;
        use tracing::metadata::Kind;
        use tracing::{Event, Level, Metadata, Value};

        static CALLSITE: DefaultCallsite = DefaultCallsite::new(&METADATA);
        static METADATA: Metadata<'static> = Metadata::new(
            "event",
            super::MODULE,
            Level::WARN,
            None,
            None,
            Some(super::MODULE),
            FieldSet::new(&[super::FIELD], Identifier(&CALLSITE)),
            Kind::EVENT,
        );

        pub(super) fn warn(words: &str) {
            let fields = CALLSITE.metadata().fields();
            let Some(field) = fields.field(super::FIELD) else { return };
            Event::dispatch(&METADATA, &fields.value_set(&[(&field, Some(&words as &dyn Value))]));
        }
    }
}
