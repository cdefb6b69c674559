//! What older drivers cannot read, known by the name they give themselves.

use gremlin::Value;

use crate::wire::Asked;

/// What a connection's driver can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Driver {
    /// Whether it takes moments only as dates: before 3.8.
    pub(crate) has_dates: bool,
    /// Whether it takes elements only without their properties: before 3.7.
    has_references: bool,
}

impl Driver {
    /// The driver of a `User-Agent` such as `NotAvailable Gremlin-Python.3.7.7 3.11.7 Linux.6.1 x86_64`. Any other
    /// name is a driver's that reads everything.
    pub(crate) fn of(agent: &str) -> Self {
        let name = agent.split_once("Gremlin-").map(|(_, name)| name).unwrap_or_default();
        let mut version = name.split(['.', ' ']).skip(1).map_while(|part| part.parse::<u32>().ok());
        let minor = match (version.next(), version.next()) {
            (Some(3), Some(minor)) => minor,
            _ => u32::MAX,
        };
        Self { has_dates: minor < 8, has_references: minor < 7 }
    }

    /// Adds what the driver would have asked for if it knew of it.
    pub(crate) fn complete(self, asked: &mut Asked) {
        let is_asked = asked.arguments.iter().any(|(name, _)| name == "materializeProperties");
        if self.has_references && !is_asked {
            asked.arguments.push(("materializeProperties".into(), Value::Text("tokens".into())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_drivers_are_known_by_their_names() {
        for (agent, has_dates, has_references) in [
            ("NotAvailable Gremlin-Python.3.7.7 3.11.7 Linux.6.1 x86_64", true, false),
            ("My App Gremlin-Go.3.5.8 1.26 linux amd64", true, true),
            ("NotAvailable Gremlin-Python.3.8.2 3.11.7 Linux.6.1 x86_64", false, false),
            ("NotAvailable Gremlin-Java.4.0.0 17 Linux amd64", false, false),
            ("Gremlin-", false, false),
            ("curl/8", false, false),
        ] {
            assert_eq!(Driver::of(agent), Driver { has_dates, has_references }, "{agent}");
        }
    }
}
