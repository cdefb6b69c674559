//! How does a command log in to a server? The arguments that all commands have for it, and their variables.
//!
//! What it is: [`LoginArguments`], to be flattened into the arguments of a command that is a client. What it is not: it
//! connects to nothing (`api-client`).

use std::fmt;
use std::path::PathBuf;

use api_client::ClientOptions;
use clap::Args;

/// Who logs in, and which certificate of a server is trusted.
#[derive(Args, Clone, Default)]
pub struct LoginArguments {
    /// User name, if the server requires authentication.
    #[arg(long, value_name = "NAME", env = "RHIZOME_USER")]
    pub user: Option<String>,
    /// Password of that user; better given in the environment.
    #[arg(long, value_name = "TEXT", env = "RHIZOME_PASSWORD", hide_env_values = true)]
    pub password: Option<String>,
    /// Token of a login, or an API key, in place of user and password; better given in the environment.
    #[arg(long, value_name = "TEXT", env = "RHIZOME_TOKEN", hide_env_values = true)]
    pub token: Option<String>,
    /// PEM file with the CA that has signed the server's certificate [default: those the system trusts].
    #[arg(long, value_name = "FILE", env = "RHIZOME_CA")]
    pub ca: Option<PathBuf>,
}

impl LoginArguments {
    /// The same options of a client, with who logs in and what is trusted.
    #[must_use]
    pub fn with(&self, options: ClientOptions) -> ClientOptions {
        let Self { user, password, token, ca } = self.clone();
        ClientOptions { username: user, password, token, ca, ..options }
    }
}

impl fmt::Debug for LoginArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hidden = |given: bool| given.then_some("(hidden)");
        f.debug_struct("LoginArguments")
            .field("user", &self.user)
            .field("password", &hidden(self.password.is_some()))
            .field("token", &hidden(self.token.is_some()))
            .field("ca", &self.ca)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        login: LoginArguments,
    }

    #[test]
    fn a_client_logs_in_with_what_is_given_and_nothing_secret_is_shown() {
        let given = ["x", "--user", "bob", "--password", "s3cret", "--token", "t0ken", "--ca", "ca.pem"];
        let login = Command::try_parse_from(given).unwrap().login;
        let options = login.with(ClientOptions { graph: "g".to_owned(), ..ClientOptions::default() });
        assert_eq!((options.username.as_deref(), options.password.as_deref()), (Some("bob"), Some("s3cret")));
        assert_eq!((options.token.as_deref(), &*options.graph), (Some("t0ken"), "g"));
        assert_eq!(options.ca, Some(PathBuf::from("ca.pem")));
        let shown = format!("{login:?}");
        assert!(shown.contains("bob") && !shown.contains("s3cret") && !shown.contains("t0ken"), "{shown}");
    }
}
