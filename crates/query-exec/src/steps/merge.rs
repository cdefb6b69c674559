//! Not carried out yet.

use crate::context::{Build, Stage};
use crate::error::{ExecError, Result};

pub(super) fn stage<'g>(
    _merge: &query_plan::Merge,
    _is_edge: bool,
    _build: Build<'g>,
) -> Result<Box<dyn Stage<'g> + 'g>> {
    Err(ExecError::unsupported("merge is not carried out yet"))
}
