//! `/openapi.json`, and `/swagger-ui/` that shows it to people.

use std::sync::{Arc, OnceLock};

use crate::call::{Answered, Call};
use crate::directory::{Directory, Endpoint};
use http_server::Reply;
use rest_errors::ApiError;

/// The page that shows the document, and where on it that is.
const PAGE: &str = "/swagger-ui/";
const DOCUMENT: &str = "/openapi.json";

/// The document.
pub(crate) fn show(call: &Call) -> Answered {
    static TEXT: OnceLock<Option<String>> = OnceLock::new();
    let text = TEXT.get_or_init(|| document(&call.app.directory));
    text.as_ref().map(|text| Reply::ok(text.clone().into_bytes())).ok_or_else(ApiError::defect)
}

/// What the endpoints of a directory take and answer, as JSON; `None` where it cannot be written.
pub(crate) fn document(directory: &Directory) -> Option<String> {
    rest_description::document_json(directory.all().filter_map(Endpoint::described))
}

/// The files of Swagger UI, which are part of this program.
pub(crate) fn page(call: &Call) -> Answered {
    let path = call.address.path();
    let Some(file) = path.strip_prefix(PAGE) else {
        return Ok(Reply::redirect(PAGE));
    };
    let config = Arc::new(utoipa_swagger_ui::Config::from(DOCUMENT));
    match utoipa_swagger_ui::serve(file, config) {
        Ok(Some(found)) => Ok(Reply::file(&found.content_type, found.bytes.into_owned())),
        Ok(None) => Err(ApiError::no_route(path)),
        Err(error) => {
            tracing::error!(%error, "a file of Swagger UI could not be read");
            Err(ApiError::defect())
        }
    }
}
