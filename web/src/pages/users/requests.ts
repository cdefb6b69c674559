// Users, groups, targets and what connects them, as the API has them.
import { send } from '../../api/client';
import type { Value } from '../../api/json';

export const permissions = ['READ', 'WRITE', 'DELETE', 'EXECUTE'] as const;
export type Permission = (typeof permissions)[number];

/** Kinds of resources, those that people give rights to first. */
export const resourceTypes = [
    'ALL',
    'VERTEX',
    'EDGE',
    'SCHEMA',
    'PROPERTY_KEY',
    'VERTEX_LABEL',
    'EDGE_LABEL',
    'INDEX_LABEL',
    'GREMLIN',
    'TASK',
    'VAR',
    'METRICS',
    'GRANT',
    'USER_GROUP',
    'TARGET',
    'PROJECT',
    'ROOT',
] as const;

export interface User {
    id: string;
    user_name: string;
    user_description?: string;
    user_creator: string;
    user_create: string;
}
export interface Group {
    id: string;
    group_name: string;
    group_description?: string;
}
export interface Resource {
    type: string;
    label: string;
    properties: Value;
}
export interface Target {
    id: string;
    target_name: string;
    target_graph: string;
    target_url: string;
    target_resources: Record<string, Resource[]>;
}
export interface Belong {
    id: string;
    user: string;
    group: string;
}
export interface Access {
    id: string;
    group: string;
    target: string;
    access_permission: Permission;
}
export interface ApiKey {
    id: string;
    key_description?: string;
    key_ends?: string;
    key_create: string;
    read_only: boolean;
}

export interface Everything {
    users: User[];
    groups: Group[];
    targets: Target[];
    belongs: Belong[];
    accesses: Access[];
}

const ALL = { limit: -1 };

/** All records; four kinds of them in as many requests, for there is no one that has them all. */
export async function readAll(signal?: AbortSignal): Promise<Everything> {
    const list = async <T>(kind: string): Promise<T[]> => {
        const answer = await send<Record<string, T[]>>('GET', `/auth/${kind}`, { query: ALL, signal });
        return answer[kind] ?? [];
    };
    const [users, groups, targets, belongs, accesses] = await Promise.all([
        list<User>('users'),
        list<Group>('groups'),
        list<Target>('targets'),
        list<Belong>('belongs'),
        list<Access>('accesses'),
    ]);
    return { users, groups, targets, belongs, accesses };
}

export const create = (kind: string, body: Record<string, Value>): Promise<unknown> =>
    send('POST', `/auth/${kind}`, { body });
export const change = (kind: string, id: string, body: Record<string, Value>): Promise<unknown> =>
    send('PUT', `/auth/${kind}/${encodeURIComponent(id)}`, { body });
export const remove = (kind: string, id: string): Promise<unknown> =>
    send('DELETE', `/auth/${kind}/${encodeURIComponent(id)}`);

/** A right that somebody has. */
export interface Right {
    graph: string;
    permission: string;
    resource: Resource;
}

/** What a user may do, by its groups: "roles": {"DEFAULT": {graph: {permission: {key: [resource]}}}}. */
export async function rightsOf(user: string): Promise<Right[]> {
    const answer = await send<{ roles: Value }>('GET', `/auth/users/${encodeURIComponent(user)}/role`);
    return rightsIn(answer.roles);
}

/** The rights in an answer about roles. */
export function rightsIn(roles: Value | undefined): Right[] {
    const object = (value: Value | undefined): [string, Value][] =>
        typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
    return object(roles).flatMap(([, graphs]) =>
        object(graphs).flatMap(([graph, byPermission]) =>
            object(byPermission).flatMap(([permission, byKey]) =>
                object(byKey).flatMap(([, resources]) =>
                    (Array.isArray(resources) ? resources : []).map((resource) => ({
                        graph,
                        permission,
                        resource: resource as unknown as Resource,
                    })),
                ),
            ),
        ),
    );
}

export interface CanI {
    allowed: boolean;
    extent: 'all' | 'part' | 'none';
}

/** Whether who is logged in may do something. */
export function canI(graph: string, permission: string, type: string, label: string): Promise<CanI> {
    const query = { graph, permission, type, label: label === '' ? undefined : label };
    return send<CanI>('GET', '/auth/can-i', { query });
}
