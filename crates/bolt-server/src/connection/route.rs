//! ROUTE: which server does what. There is one, which does everything, at the address by which the client came.

use bolt_codec::Route;
use bolt_codec::pack::{self, Dictionary};

use super::Connection;
use crate::limits::ROUTE_SECONDS;

impl Connection {
    pub(super) fn route(&mut self, route: &Route) {
        let database = match self.shared.transactions.queries().database(route.database.as_deref()) {
            Ok(database) => database,
            Err(failure) => return self.fail(&failure),
        };
        let address = self.own_address(Some(&route.context).filter(|context| !context.is_empty()));
        self.success(|map| {
            let mut table = Dictionary::begin(map.entry("rt"));
            table.integer("ttl", ROUTE_SECONDS);
            table.text("db", &database);
            let servers = table.entry("servers");
            pack::list_header(servers, 3);
            for role in ["WRITE", "READ", "ROUTE"] {
                let mut server = Dictionary::begin(servers);
                let addresses = server.entry("addresses");
                pack::list_header(addresses, 1);
                pack::text(addresses, &address);
                server.text("role", role);
                server.end();
            }
            table.end();
        });
    }
}
