//! Ids as HugeGraph 1.7.0 has them: the negative number of a hidden label, then the name.

use crate::resource::Permission;

/// The id of a user.
#[must_use]
pub fn user(name: &str) -> String {
    vertex(-31, name)
}

/// The id of a group.
#[must_use]
pub fn group(name: &str) -> String {
    vertex(-37, name)
}

/// The id of a target.
#[must_use]
pub fn target(name: &str) -> String {
    vertex(-45, name)
}

/// The id of a project.
#[must_use]
pub fn project(name: &str) -> String {
    vertex(-66, name)
}

/// The id of what says that a user belongs to a group, given their ids.
#[must_use]
pub fn belong(user: &str, group: &str) -> String {
    format!("S{user}>-50>-50>>S{group}")
}

/// The id of what a group may do with a target, given their ids.
#[must_use]
pub fn access(group: &str, permission: Permission, target: &str) -> String {
    format!("S{group}>-56>-56>{}>S{target}", permission.number())
}

fn vertex(label: i32, name: &str) -> String {
    format!("{label}:{}", name.replace(':', "`:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_those_of_hugegraph() {
        assert_eq!(user("bob"), "-31:bob");
        assert_eq!(user("a:b"), "-31:a`:b");
        assert_eq!(belong(&user("bob"), &group("grp")), "S-31:bob>-50>-50>>S-37:grp");
        assert_eq!(access(&group("grp"), Permission::Read, &target("tg")), "S-37:grp>-56>-56>11>S-45:tg");
    }
}
