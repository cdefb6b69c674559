//! Not carried out yet.

use crate::context::{Build, Stage};
use crate::error::{ExecError, Result};

pub(super) fn stage<'g>(_function: &query_plan::Function, _build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    Err(ExecError::unsupported("function is not carried out yet"))
}
