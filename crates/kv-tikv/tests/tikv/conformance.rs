//! What every engine must do.

use crate::cluster::Fresh;

kv::conformance_suite!(Fresh::default(); #[ignore = "needs a TiKV cluster: scripts/test-tikv.sh"]);
