//! Failed lookups of regions, which `tikv-client` 0.4 does not always report.
//!
//! Where the client divides a prewrite or a commit among regions (`Shardable::shards` of both requests), an error from
//! PD ends the list of parts instead of being passed on: the parts that are missing are not sent, and the call
//! succeeds. So a commit may have done less than it says, or nothing, whenever PD could not say where a key is. The
//! client counts such failures before it loses them, so each commit compares the counter before and after.

/// The client's counter of failed requests to PD, by type.
const FAILED: &str = "pd_failed_request_total";
/// The type of those that ask for the region of a key.
const REGION_OF_KEY: &str = "get_region";

/// Failed lookups of this process so far, a whole number. Only for comparing.
pub(crate) fn failed() -> f64 {
    let families = prometheus::default_registry().gather();
    let of_regions = families.iter().filter(|family| family.get_name() == FAILED).flat_map(|family| {
        family.get_metric().iter().filter(|metric| metric.get_label().iter().any(|l| l.get_value() == REGION_OF_KEY))
    });
    // Whole numbers far below 2^53.
    of_regions.map(|metric| metric.get_counter().get_value()).sum()
}
