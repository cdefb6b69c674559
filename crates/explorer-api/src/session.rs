//! Sessions of browsers: a token of a login in a cookie that no script can read.

use auth::{Accounts, Authenticate as _, Caller, Credentials};
use http_server::{HttpResponse, PAGE_HEADER, Reply, SESSION_COOKIE};
use hyper::header::{self, HeaderMap, HeaderValue};
use rest_errors::ApiError;
use serde::Deserialize;
use serde_json::json;

use crate::limits::SESSION_IDLE_SECONDS;

/// A login.
#[derive(Deserialize)]
pub(crate) struct LogIn {
    pub(crate) user: String,
    pub(crate) password: String,
}

/// What becomes of the cookie.
pub(crate) enum Cookie {
    /// It stays as it is.
    Kept,
    /// It gets this token.
    Set(String),
    /// It is deleted.
    Deleted,
}

/// An answer, and what becomes of the cookie.
pub(crate) struct Answer {
    pub(crate) reply: Reply,
    pub(crate) cookie: Cookie,
}

/// Who is logged in, as pages ask for it: whether users are asked for at all, the name, and what they may look after.
pub(crate) fn told(is_enabled: bool, caller: Option<&Caller>) -> Reply {
    Reply::value(&json!({
        "auth": is_enabled,
        "user": caller.and_then(Caller::user),
        "admin": caller.is_some_and(Caller::is_admin),
        "manager": caller.is_some_and(Caller::is_manager),
    }))
}

/// The session of a cookie, which lasts longer by being asked for.
pub(crate) fn show(accounts: Option<&Accounts>, token: Option<&str>) -> Answer {
    let Some(accounts) = accounts else {
        return Answer { reply: told(false, Some(&Caller::anonymous())), cookie: Cookie::Kept };
    };
    let Some(token) = token else { return Answer { reply: told(true, None), cookie: Cookie::Kept } };
    match (accounts.known(Credentials::Token(token)), accounts.renewed_token(token, SESSION_IDLE_SECONDS)) {
        (Some(caller), Some(token)) => Answer { reply: told(true, Some(&caller)), cookie: Cookie::Set(token) },
        _ => Answer { reply: told(true, None), cookie: Cookie::Deleted },
    }
}

/// A session for a name and a password. It may hash, so it must run on a thread that may wait.
///
/// # Errors
/// A wrong name or password, too many of them; a server without users.
pub(crate) fn log_in(
    accounts: Option<&Accounts>,
    ask: &LogIn,
    from: Option<std::net::IpAddr>,
) -> Result<Answer, ApiError> {
    let accounts = accounts.ok_or_else(no_users)?;
    let credentials = Credentials::Password { user: &ask.user, password: &ask.password };
    let caller = accounts.check(credentials, from).map_err(|error| match error {
        auth::AuthError::Failed => ApiError::wrong_password(),
        error => error.into(),
    })?;
    let token = accounts.token_for(&caller, SESSION_IDLE_SECONDS)?;
    Ok(Answer { reply: told(true, Some(&caller)), cookie: Cookie::Set(token) })
}

/// Ends the session of a cookie, also for whoever has copied it. It writes to the store.
///
/// # Errors
/// Those of storage; a server without users.
pub(crate) fn log_out(accounts: Option<&Accounts>, token: Option<&str>) -> Result<Answer, ApiError> {
    let accounts = accounts.ok_or_else(no_users)?;
    // One that is over already needs no end.
    if let Some(token) = token.filter(|token| accounts.known(Credentials::Token(token)).is_some()) {
        accounts.log_out(token)?;
    }
    Ok(Answer { reply: Reply::no_content(), cookie: Cookie::Deleted })
}

fn no_users() -> ApiError {
    ApiError::bad_input("this server has no users, so there is nothing to log in to (auth.enabled is false)")
}

/// The answer with its cookie: for this server only, not for scripts, not sent along from other sites, and where the
/// browser speaks TLS for TLS only.
pub(crate) fn respond(answer: Answer, is_secure: bool) -> HttpResponse {
    let secure = if is_secure { "; Secure" } else { "" };
    let cookie = match &answer.cookie {
        Cookie::Kept => None,
        Cookie::Set(token) => Some(format!("{SESSION_COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict{secure}")),
        Cookie::Deleted => Some(format!("{SESSION_COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0{secure}")),
    };
    let mut response = answer.reply.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::try_from(cookie).ok()) {
        headers.insert(header::SET_COOKIE, cookie);
    }
    response
}

/// Whether the browser speaks TLS, to this server or to a proxy before it: pages say so, since browsers send no origin
/// with a GET.
pub(crate) fn is_secure(listener_has_tls: bool, headers: &HeaderMap) -> bool {
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    let page = headers.get(PAGE_HEADER).is_some_and(|page| page == "https");
    listener_has_tls || page || origin.is_some_and(|origin| origin.starts_with("https://"))
}
