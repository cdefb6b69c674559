//! Users, groups, rights and logins.

use openapi_document::Shape::{Any, Choice, Either, Flag, Integer, List, Map, Named, Object, Text};
use openapi_document::{Field, Operation, Shape, may, must};

const LIMIT: Field = may("limit", Integer, "At most so many; -1: all");
const KINDS: Shape = Choice(&["ADMIN", "SPACE", "SPACE_MEMBER"]);
const KIND: Field = must("type", KINDS, "");
const RESOURCES: Shape = Either(&[List(&Named("Resource")), Map(&List(&Named("Resource")))]);
const GRAPHS: Field = may("project_graphs", List(&Text), "");
const DESCRIBED: Shape = Map(&Any);
const USER: Shape = Object(&[
    may("user_name", Text, "Cannot be changed"),
    may("user_password", Text, "'******' in answers, which sent back means as it was"),
    may("user_phone", Text, ""),
    may("user_email", Text, ""),
    may("user_avatar", Text, ""),
    may("user_description", Text, ""),
]);
const GROUP: Shape = Object(&[may("group_name", Text, "Cannot be changed"), may("group_description", Text, "")]);
const TARGET: Shape = Object(&[
    may("target_name", Text, "Cannot be changed"),
    may("target_graph", Text, "The name of a graph, which may end in *"),
    may("target_url", Text, ""),
    may("target_resources", RESOURCES, ""),
]);
const BELONG: Shape = Object(&[
    may("user", Text, "The id of a user"),
    may("group", Text, "The id of a group"),
    may("belong_description", Text, ""),
]);
const ACCESS: Shape = Object(&[
    may("group", Text, "The id of a group"),
    may("target", Text, "The id of a target"),
    may("access_permission", Choice(&["READ", "WRITE", "DELETE", "EXECUTE"]), ""),
    may("access_description", Text, ""),
]);
const PROJECT: Shape = Object(&[may("project_name", Text, ""), may("project_description", Text, ""), GRAPHS]);
const MANAGER: Shape = Object(&[must("user", Text, "The name of a user"), must("type", KINDS, "")]);
const TOKEN: Shape = Object(&[must("token", Text, "To be sent as Authorization: Bearer")]);
const LOGIN: Shape = Object(&[
    must("user_name", Text, ""),
    must("user_password", Text, ""),
    may("token_expire", Integer, "Seconds; 0: as long as the server lets a token live"),
]);
const NEW_KEY: Shape = Object(&[
    may("key_description", Text, ""),
    may("key_expire", Integer, "Seconds; none: until it is taken back"),
    may("read_only", Flag, "Whether it gives the rights to read only"),
]);
const KEY: Shape = Object(&[must("id", Text, ""), must("key", Text, "Is not shown again")]);

pub(crate) static USERS: &[Operation] =
    &[
        Operation::post("{S}/auth/login", "Gives a token for a name and a password", LOGIN, 200, TOKEN),
        Operation::delete("{S}/auth/logout", "Ends the token it is asked with"),
        Operation::get("{S}/auth/verify", "Says whose token it is asked with", DESCRIBED),
        Operation::get("{S}/auth/can-i", "Says whether who asks may do something", DESCRIBED).query(&[
            must("permission", Text, "READ, WRITE, DELETE or EXECUTE"),
            must("type", Text, "The kind of resource, as VERTEX"),
            may("graph", Text, "The default graph where none is named"),
            may("label", Text, ""),
        ]),
        Operation::put(
            "{S}/auth/rotate-token-keys",
            "Makes a new key for tokens; the one before stays valid",
            Any,
            204,
            Any,
        )
        .body(openapi_document::Body::MayBeJson(Any))
        .answers(openapi_document::Answer::Nothing),
        Operation::get("{S}/auth/keys", "Lists the API keys of who asks", DESCRIBED),
        Operation::post("{S}/auth/keys", "Makes an API key, which stands for the password", NEW_KEY, 201, KEY),
        Operation::delete("{S}/auth/keys/{id}", "Takes an API key back"),
        Operation::get("{S}/auth/users", "Lists the users", DESCRIBED).query(&[LIMIT]),
        Operation::post("{S}/auth/users", "Makes a user", USER, 201, DESCRIBED),
        Operation::get("{S}/auth/users/{id}", "Reads a user", DESCRIBED),
        Operation::put("{S}/auth/users/{id}", "Changes a user", USER, 200, DESCRIBED),
        Operation::delete("{S}/auth/users/{id}", "Removes a user"),
        Operation::get("{S}/auth/users/{id}/role", "Reads what a user may do", DESCRIBED),
        Operation::get("{S}/auth/groups", "Lists the groups", DESCRIBED).query(&[LIMIT]),
        Operation::post("{S}/auth/groups", "Makes a group", GROUP, 201, DESCRIBED),
        Operation::get("{S}/auth/groups/{id}", "Reads a group", DESCRIBED),
        Operation::put("{S}/auth/groups/{id}", "Changes a group", GROUP, 200, DESCRIBED),
        Operation::delete("{S}/auth/groups/{id}", "Removes a group with its rights"),
        Operation::get("{S}/auth/targets", "Lists the targets", DESCRIBED).query(&[LIMIT]),
        Operation::post("{S}/auth/targets", "Makes a target, which rights can be given to", TARGET, 201, DESCRIBED),
        Operation::get("{S}/auth/targets/{id}", "Reads a target", DESCRIBED),
        Operation::put("{S}/auth/targets/{id}", "Changes a target", TARGET, 200, DESCRIBED),
        Operation::delete("{S}/auth/targets/{id}", "Removes a target with the rights to it"),
        Operation::get("{S}/auth/belongs", "Lists which user belongs to which group", DESCRIBED).query(&[
            LIMIT,
            may("user", Text, "The id of a user"),
            may("group", Text, "The id of a group"),
        ]),
        Operation::post("{S}/auth/belongs", "Adds a user to a group", BELONG, 201, DESCRIBED),
        Operation::get("{S}/auth/belongs/{id}", "Reads that a user belongs to a group", DESCRIBED),
        Operation::put("{S}/auth/belongs/{id}", "Changes its text", BELONG, 200, DESCRIBED),
        Operation::delete("{S}/auth/belongs/{id}", "Takes a user out of a group"),
        Operation::get("{S}/auth/accesses", "Lists which group may do what", DESCRIBED).query(&[
            LIMIT,
            may("group", Text, "The id of a group"),
            may("target", Text, "The id of a target"),
        ]),
        Operation::post("{S}/auth/accesses", "Gives a group a right", ACCESS, 201, DESCRIBED),
        Operation::get("{S}/auth/accesses/{id}", "Reads a right of a group", DESCRIBED),
        Operation::put("{S}/auth/accesses/{id}", "Changes its text", ACCESS, 200, DESCRIBED),
        Operation::delete("{S}/auth/accesses/{id}", "Takes a right from a group"),
        Operation::get("{S}/auth/projects", "Lists the projects", DESCRIBED).query(&[LIMIT]),
        Operation::post("{S}/auth/projects", "Makes a project with its groups", PROJECT, 201, DESCRIBED),
        Operation::get("{S}/auth/projects/{id}", "Reads a project", DESCRIBED),
        Operation::put("{S}/auth/projects/{id}", "Changes a project or its graphs", PROJECT, 200, DESCRIBED)
            .query(&[may("action", Choice(&["add_graph", "remove_graph"]), "")]),
        Operation::delete("{S}/auth/projects/{id}", "Removes a project without graphs"),
        Operation::get("{S}/auth/managers", "Lists the managers of a kind", DESCRIBED).query(&[KIND]),
        Operation::post("{S}/auth/managers", "Makes a user a manager", MANAGER, 201, DESCRIBED),
        Operation::delete("{S}/auth/managers", "Makes a user no manager any more")
            .query(&[must("user", Text, ""), KIND]),
        Operation::get("{S}/auth/managers/check", "Says whether who asks is a manager", DESCRIBED).query(&[KIND]),
        Operation::get("{S}/auth/managers/role", "Says what a user manages", DESCRIBED).query(&[may("user", Text, "")]),
    ];
