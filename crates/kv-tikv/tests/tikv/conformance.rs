//! What every engine must do.

use crate::cluster::Fresh;

kv::conformance_suite!(
    #[ignore = "needs a TiKV cluster: scripts/test-tikv.sh"]
    Fresh::new()
);
