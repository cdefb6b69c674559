//! Not carried out yet.

use crate::context::{Build, Stage};
use crate::error::{ExecError, Result};

pub(super) fn stage<'g>(_algorithm: &query_plan::Algorithm, _build: Build<'g>) -> Result<Box<dyn Stage<'g> + 'g>> {
    Err(ExecError::unsupported("algorithm is not carried out yet"))
}
