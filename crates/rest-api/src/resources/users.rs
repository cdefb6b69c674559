//! `{S}/auth/...`: users, groups, targets, what connects them, projects, managers, logins. The routes are here with
//! their handlers, for there are many of a kind.
//!
//! Clients up to 1.5 ask at `/graphs/{graph}/auth/...`, where the graph has no meaning, and read some answers in
//! another form: resources as a list and roles without graph spaces.

use std::borrow::Cow;

use auth::Permission::{Delete, Read, Write};
use auth::ResourceType::{Grant, Project, Target, UserGroup};
use auth::{Accounts, Authenticate as _, Caller, Credentials};
use hyper::StatusCode;
use jiff::tz::TimeZone;
use rest_users::{Answer, Ask};
use serde::Deserialize;
use serde_json::json;

use crate::access::Access::{Admin, Anywhere, Manager, Open, User};
use crate::call::{Answered, Call};
use crate::route::Handler::{Pooled, Quick};
use crate::route::{DELETE, GET, POST, PUT, Route, space};
use http_server::Reply;
use rest_errors::ApiError;

/// All routes about users.
pub(crate) static ROUTES: &[Route] = &[
    space(&["auth", "login"], &[(POST, Open, Pooled(log_in))]),
    space(&["auth", "logout"], &[(DELETE, User, Pooled(log_out))]),
    space(&["auth", "verify"], &[(GET, User, Quick(verify))]),
    space(&["auth", "can-i"], &[(GET, User, Quick(|call| answer(rest_users::can_i(call))))]),
    space(&["auth", "rotate-token-keys"], &[(PUT, Admin, Pooled(rotate))]),
    space(
        &["auth", "keys"],
        &[
            (GET, User, Quick(|call| answer(rest_users::keys(call)))),
            (POST, User, Pooled(|call| answer(rest_users::create_key(call)))),
        ],
    ),
    space(&["auth", "keys", "{id}"], &[(DELETE, User, Pooled(|call| answer(rest_users::delete_key(call))))]),
    space(
        &["auth", "users"],
        &[
            (GET, Anywhere(Read, UserGroup), Pooled(|call| answer(rest_users::users(call)))),
            (POST, Anywhere(Write, UserGroup), Pooled(|call| answer(rest_users::create_user(call)))),
        ],
    ),
    space(&["auth", "users", "batch"], &[(POST, User, crate::route::Handler::Never(CLIENT_ONLY))]),
    // Of oneself everybody may know and change what is there; the handler sees to the rest.
    space(
        &["auth", "users", "{id}"],
        &[
            (GET, User, Pooled(|call| answer(rest_users::user(call)))),
            (PUT, User, Pooled(|call| answer(rest_users::update_user(call)))),
            (DELETE, Anywhere(Delete, UserGroup), Pooled(|call| answer(rest_users::delete_user(call)))),
        ],
    ),
    space(&["auth", "users", "{id}", "role"], &[(GET, User, Pooled(|call| answer(rest_users::role(call))))]),
    space(
        &["auth", "groups"],
        &[
            (GET, Anywhere(Read, UserGroup), Pooled(|call| answer(rest_users::groups(call)))),
            (POST, Anywhere(Write, UserGroup), Pooled(|call| answer(rest_users::create_group(call)))),
        ],
    ),
    space(
        &["auth", "groups", "{id}"],
        &[
            (GET, Anywhere(Read, UserGroup), Pooled(|call| answer(rest_users::group(call)))),
            (PUT, Anywhere(Write, UserGroup), Pooled(|call| answer(rest_users::update_group(call)))),
            (DELETE, Anywhere(Delete, UserGroup), Pooled(|call| answer(rest_users::delete_group(call)))),
        ],
    ),
    space(
        &["auth", "targets"],
        &[
            (GET, Anywhere(Read, Target), Pooled(|call| answer(rest_users::targets(call)))),
            (POST, Anywhere(Write, Target), Pooled(|call| answer(rest_users::create_target(call)))),
        ],
    ),
    space(
        &["auth", "targets", "{id}"],
        &[
            (GET, Anywhere(Read, Target), Pooled(|call| answer(rest_users::target(call)))),
            (PUT, Anywhere(Write, Target), Pooled(|call| answer(rest_users::update_target(call)))),
            (DELETE, Anywhere(Delete, Target), Pooled(|call| answer(rest_users::delete_target(call)))),
        ],
    ),
    space(
        &["auth", "belongs"],
        &[
            (GET, Anywhere(Read, Grant), Pooled(|call| answer(rest_users::belongs(call)))),
            (POST, Anywhere(Write, Grant), Pooled(|call| answer(rest_users::create_belong(call)))),
        ],
    ),
    space(
        &["auth", "belongs", "{id}"],
        &[
            (GET, Anywhere(Read, Grant), Pooled(|call| answer(rest_users::belong(call)))),
            (PUT, Anywhere(Write, Grant), Pooled(|call| answer(rest_users::update_belong(call)))),
            (DELETE, Anywhere(Delete, Grant), Pooled(|call| answer(rest_users::delete_belong(call)))),
        ],
    ),
    space(
        &["auth", "accesses"],
        &[
            (GET, Anywhere(Read, Grant), Pooled(|call| answer(rest_users::accesses(call)))),
            (POST, Anywhere(Write, Grant), Pooled(|call| answer(rest_users::create_access(call)))),
        ],
    ),
    space(
        &["auth", "accesses", "{id}"],
        &[
            (GET, Anywhere(Read, Grant), Pooled(|call| answer(rest_users::access(call)))),
            (PUT, Anywhere(Write, Grant), Pooled(|call| answer(rest_users::update_access(call)))),
            (DELETE, Anywhere(Delete, Grant), Pooled(|call| answer(rest_users::delete_access(call)))),
        ],
    ),
    space(
        &["auth", "projects"],
        &[
            (GET, Anywhere(Read, Project), Pooled(|call| answer(rest_users::projects(call)))),
            (POST, Anywhere(Write, Project), Pooled(|call| answer(rest_users::create_project(call)))),
        ],
    ),
    space(
        &["auth", "projects", "{id}"],
        &[
            (GET, Anywhere(Read, Project), Pooled(|call| answer(rest_users::project(call)))),
            (PUT, Anywhere(Write, Project), Pooled(|call| answer(rest_users::update_project(call)))),
            (DELETE, Anywhere(Delete, Project), Pooled(|call| answer(rest_users::delete_project(call)))),
        ],
    ),
    space(
        &["auth", "managers"],
        &[
            (GET, Manager, Pooled(|call| answer(rest_users::managers(call)))),
            (POST, Manager, Pooled(|call| answer(rest_users::add_manager(call)))),
            (DELETE, Manager, Pooled(|call| answer(rest_users::remove_manager(call)))),
        ],
    ),
    space(&["auth", "managers", "check"], &[(GET, User, Quick(|call| answer(rest_users::check_manager(call))))]),
    space(&["auth", "managers", "role"], &[(GET, User, Quick(|call| answer(rest_users::manager_role(call))))]),
    space(&["auth", "managers", "default"], &[(GET, User, crate::route::Handler::Never(CLIENT_ONLY))]),
];

/// What only clients know.
const CLIENT_ONLY: &str = "HugeGraph's own open-source server has nothing there either";

impl Ask for Call {
    type Error = ApiError;

    fn accounts(&self) -> Result<&Accounts, ApiError> {
        Ok(Self::accounts(self)?)
    }

    fn caller(&self) -> &Caller {
        &self.caller
    }

    fn body(&self) -> &[u8] {
        &self.body
    }

    fn id(&self) -> Result<Cow<'_, str>, ApiError> {
        // The address of the rights of a user goes on after the id.
        let is_last = self.address.raw(self.param_at) != "role" || self.address.raw(self.param_at - 1) == "users";
        Ok(self.address.decoded(if is_last { self.param_at } else { self.param_at - 1 })?)
    }

    fn text(&self, name: &'static str) -> Result<Option<Cow<'_, str>>, ApiError> {
        self.query().text(name)
    }

    fn limit(&self) -> Result<Option<u64>, ApiError> {
        self.query().limit(self.app.options.limits.list_limit_default)
    }

    fn zone(&self) -> &TimeZone {
        &self.app.store.graph_options().zone
    }

    fn is_old(&self) -> bool {
        self.address.raw(0) == "graphs"
    }

    fn default_graph(&self) -> &str {
        self.app.store.default_graph()
    }
}

fn answer(done: Result<Answer, ApiError>) -> Answered {
    Ok(match done? {
        Answer::Ok(value) => Reply::value(&value),
        Answer::Created(value) => Reply::json(StatusCode::CREATED, value.to_string().into_bytes()),
        Answer::NoContent => Reply::no_content(),
    })
}

/// What `GET .../verify` and `DELETE .../logout` are asked with.
const BEARER: &str = "Only HTTP Bearer authentication is supported";

#[derive(Deserialize)]
struct LogIn {
    user_name: Option<String>,
    user_password: Option<String>,
    #[serde(default)]
    token_expire: i64,
}

/// A token for a user's name and password.
fn log_in(call: &Call) -> Answered {
    let accounts = call.accounts()?;
    let body: LogIn = serde_json::from_slice(&call.body)
        .map_err(|error| ApiError::bad_input(format!("the body must be a JSON object with a login: {error}")))?;
    let missing = |what: &str| ApiError::bad_input(format!("The {what} of login can't be null"));
    let user = body.user_name.ok_or_else(|| missing("name"))?;
    let password = body.user_password.ok_or_else(|| missing("password"))?;
    let checked = accounts.check(
        Credentials::Password { user: &user, password: &password },
        call.login.as_ref().and_then(|login| login.from),
    );
    let caller = checked.map_err(|error| match error {
        auth::AuthError::Failed => ApiError::wrong_password(),
        error => error.into(),
    })?;
    Ok(Reply::value(&json!({ "token": accounts.token_for(&caller, body.token_expire)? })))
}

fn token(call: &Call) -> Result<&str, ApiError> {
    call.accounts()?;
    call.login.as_ref().and_then(|login| login.token.as_deref()).ok_or_else(|| ApiError::bad_request(BEARER))
}

/// Ends the token.
fn log_out(call: &Call) -> Answered {
    let token = token(call)?;
    call.accounts()?.log_out(token)?;
    Ok(Reply::no_content())
}

/// Whose token it is.
fn verify(call: &Call) -> Answered {
    token(call)?;
    let name = call.caller.name();
    Ok(Reply::value(&json!({ "user_name": name, "user_id": auth::ids::user(name) })))
}

/// New keys for tokens.
fn rotate(call: &Call) -> Answered {
    call.accounts()?.rotate_token_keys()?;
    Ok(Reply::no_content())
}
