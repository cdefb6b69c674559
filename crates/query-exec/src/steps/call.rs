//! Not carried out yet.

use crate::context::{Build, Stage};
use crate::error::{ExecError, Result};

pub(super) fn stage<'g>(_call: &query_plan::Call, _build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    Err(ExecError::unsupported("call is not carried out yet"))
}
