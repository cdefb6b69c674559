//! Not carried out yet.

use crate::context::{Build, Stage};
use crate::error::{ExecError, Result};

pub(super) fn stage<'g>(_patterns: &[query_plan::Pipeline], _build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    Err(ExecError::unsupported("matching is not carried out yet"))
}
