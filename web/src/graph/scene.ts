// What is drawn: vertices, edges, where they are, what is hidden, pinned and selected, how it came there, and the steps
// that lead back and forth. No drawing, no requests: the page asks the server and hands over what came.

/**
 * A vertex's id as the API takes it in addresses (`"1:42"` with its quotes, digits, `U"..."`), or an edge's id as it
 * is. Exact, and different for each element: ids of edges begin with S or L.
 */
export type Key = string;

/** A vertex as the server gave it. */
export interface Vertex {
    readonly key: Key;
    readonly label: string;
    readonly properties: Readonly<Record<string, unknown>>;
}

/** An edge as the server gave it. */
export interface Edge {
    readonly key: Key;
    readonly label: string;
    readonly source: Key;
    readonly target: Key;
    readonly properties: Readonly<Record<string, unknown>>;
}

export interface SceneNode {
    readonly key: Key;
    vertex: Vertex;
    x: number;
    y: number;
    hidden: boolean;
    pinned: boolean;
    /** What brought it: an added list, a path, or an expansion. Without any it leaves the scene. */
    origins: readonly string[];
}

export interface SceneEdge {
    readonly key: Key;
    edge: Edge;
    hidden: boolean;
    origins: readonly string[];
}

/** A number of things: exact, at least (`more`), or not known (`null`). */
export type Count = { readonly n: number; readonly more: boolean } | null;

/** How many neighbours a vertex has in the graph, and how many edges by label. */
export interface Degrees {
    readonly neighbours: Count;
    readonly out: Readonly<Record<string, Count>>;
    readonly in: Readonly<Record<string, Count>>;
}

export type Direction = 'BOTH' | 'OUT' | 'IN';

/** Which neighbours an expansion brings. */
export interface Reach {
    readonly direction: Direction;
    readonly label: string | null;
}

/** How far an expansion of a vertex has come. */
export interface Expansion {
    readonly reach: Reach;
    /** Edges read so far. */
    readonly read: number;
    /** Where the next page begins; null when all are there. */
    readonly page: string | null;
}

/** Names of steps; the page has a sentence for each. */
export type StepName =
    | 'add'
    | 'expand'
    | 'collapse'
    | 'hide'
    | 'show'
    | 'pin'
    | 'unpin'
    | 'remove'
    | 'move'
    | 'layout'
    | 'path'
    | 'connect'
    | 'filter'
    | 'clear'
    | 'load'
    | 'edit';

type Op =
    | { t: 'node'; node: SceneNode; add: boolean }
    | { t: 'edge'; edge: SceneEdge; add: boolean }
    | { t: 'nodeSet'; key: Key; field: 'hidden' | 'pinned' | 'origins' | 'vertex'; from: unknown; to: unknown }
    | { t: 'edgeSet'; key: Key; field: 'hidden' | 'origins' | 'edge'; from: unknown; to: unknown }
    | { t: 'expansion'; id: string; from: Expansion | undefined; to: Expansion | undefined }
    | { t: 'filter'; from: ReadonlySet<string>; to: ReadonlySet<string> };

interface Positions {
    readonly keys: readonly Key[];
    readonly xy: Float64Array;
}

interface Step {
    readonly name: StepName;
    /** A name for the sentence about it: the vertex that was expanded, the number of elements. */
    readonly subject: string;
    readonly ops: Op[];
    readonly before: { readonly positions: Positions; readonly selection: ReadonlySet<Key> };
    after: { readonly positions: Positions; readonly selection: ReadonlySet<Key> } | null;
}

/** What has changed, so that only that is drawn anew. */
export type Change = 'structure' | 'look' | 'positions' | 'selection' | 'degrees';

/** Counts of one label of the legend. */
export interface LegendRow {
    readonly kind: 'vertex' | 'edge';
    readonly label: string;
    /** Elements in the scene. */
    readonly drawn: number;
    /** Those that are neither hidden nor filtered. */
    readonly visible: number;
    readonly filtered: boolean;
}

/** What a request brought. */
export interface Found {
    readonly vertices: readonly Vertex[];
    readonly edges: readonly Edge[];
}

/** What an addition changed. */
export interface Added {
    readonly nodes: Key[];
    readonly edges: Key[];
    /** Edges of which an end is not drawn. */
    readonly dangling: number;
}

/** Steps that can be undone; older ones are forgotten. */
const STEPS_MAX = 100;
/** Changes and places kept over all steps. One that adds 20,000 vertices and 60,000 edges has 80,000. */
const KEPT_MAX = 1_000_000;

export class Scene {
    readonly nodes = new Map<Key, SceneNode>();
    readonly edges = new Map<Key, SceneEdge>();
    /** Edges at each node. */
    readonly #adjacent = new Map<Key, Set<Key>>();
    readonly #expansions = new Map<string, Expansion>();
    readonly #degrees = new Map<Key, Degrees>();
    readonly #listeners = new Set<(change: Change) => void>();
    #selection: ReadonlySet<Key> = new Set();
    #filter: ReadonlySet<string> = new Set();
    #done: Step[] = [];
    #undone: Step[] = [];
    #open: Step | null = null;

    /** Calls `listener` after each change; returns what ends that. */
    listen(listener: (change: Change) => void): () => void {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
    }

    // --- Reading

    get selection(): ReadonlySet<Key> {
        return this.#selection;
    }

    /** Filtered labels, as `vertex person` or `edge knows`. */
    get filter(): ReadonlySet<string> {
        return this.#filter;
    }

    /** The vertex or edge selected last. */
    get focus(): Key | null {
        let last: Key | null = null;
        for (const key of this.#selection) last = key;
        return last;
    }

    nodeVisible(node: SceneNode): boolean {
        return !node.hidden && !this.#filter.has(`vertex ${node.vertex.label}`);
    }

    edgeVisible(edge: SceneEdge): boolean {
        if (edge.hidden || this.#filter.has(`edge ${edge.edge.label}`)) return false;
        const source = this.nodes.get(edge.edge.source);
        const target = this.nodes.get(edge.edge.target);
        return !!source && !!target && this.nodeVisible(source) && this.nodeVisible(target);
    }

    edgesOf(key: Key): ReadonlySet<Key> {
        return this.#adjacent.get(key) ?? NONE;
    }

    /** The other end of an edge. */
    otherEnd(edge: Key, node: Key): Key {
        const { source, target } = this.edges.get(edge)!.edge;
        return source === node ? target : source;
    }

    /** Neighbours that are drawn, each once. */
    neighbours(key: Key): Set<Key> {
        const found = new Set<Key>();
        for (const edge of this.edgesOf(key)) found.add(this.otherEnd(edge, key));
        return found;
    }

    /** Edges drawn at a vertex in one direction and of one label. */
    edgesDrawn(key: Key, direction: 'OUT' | 'IN', label: string): number {
        let n = 0;
        for (const id of this.edgesOf(key)) {
            const { edge } = this.edges.get(id)!;
            if (edge.label === label && (direction === 'OUT' ? edge.source : edge.target) === key) n += 1;
        }
        return n;
    }

    degrees(key: Key): Degrees | undefined {
        return this.#degrees.get(key);
    }

    setDegrees(key: Key, degrees: Degrees): void {
        this.#degrees.set(key, degrees);
        this.#tell('degrees');
    }

    expansion(key: Key, reach: Reach): Expansion | undefined {
        return this.#expansions.get(expansionId(key, reach));
    }

    /** Whether the vertex has been expanded in any way. */
    expanded(key: Key): boolean {
        for (const id of this.#expansions.keys()) if (id.startsWith(`${key} `)) return true;
        return false;
    }

    legend(): LegendRow[] {
        const rows = new Map<string, { kind: 'vertex' | 'edge'; label: string; drawn: number; visible: number }>();
        const count = (kind: 'vertex' | 'edge', label: string, visible: boolean) => {
            const id = `${kind} ${label}`;
            let row = rows.get(id);
            if (!row) rows.set(id, (row = { kind, label, drawn: 0, visible: 0 }));
            row.drawn += 1;
            if (visible) row.visible += 1;
        };
        for (const node of this.nodes.values()) count('vertex', node.vertex.label, this.nodeVisible(node));
        for (const edge of this.edges.values()) count('edge', edge.edge.label, this.edgeVisible(edge));
        return [...rows.values()]
            .map((row) => ({ ...row, filtered: this.#filter.has(`${row.kind} ${row.label}`) }))
            .sort((a, b) =>
                a.kind === b.kind ? b.drawn - a.drawn || a.label.localeCompare(b.label) : a.kind < b.kind ? 1 : -1,
            );
    }

    /** What was done, oldest first, and how many of these steps are undone. */
    history(): { steps: { name: StepName; subject: string }[]; undone: number } {
        const steps = [...this.#done, ...[...this.#undone].reverse()].map(({ name, subject }) => ({ name, subject }));
        return { steps, undone: this.#undone.length };
    }

    // --- Changing

    /** Selects; no step of its own, but undo and redo restore it. */
    select(keys: Iterable<Key>): void {
        const next = new Set<Key>();
        for (const key of keys) if (this.nodes.has(key) || this.edges.has(key)) next.add(key);
        if (sameSet(next, this.#selection)) return;
        this.#selection = next;
        this.#tell('selection');
    }

    /** Selects what is visible and not selected: vertices only. */
    invertSelection(): void {
        const next: Key[] = [];
        for (const node of this.nodes.values()) {
            if (!this.#selection.has(node.key) && this.nodeVisible(node)) next.push(node.key);
        }
        this.select(next);
    }

    /** Adds what a list, an id or a condition found. */
    add(found: Found, subject: string, name: 'add' | 'path' | 'connect' = 'add'): Added {
        const origin = `${name} ${this.#nextOrigin++}`;
        return this.#step(name, subject, () => this.#insert(found, origin, null));
    }

    /** Adds what an expansion of `key` found. `page` is where the next one begins, null if there is none. */
    expand(key: Key, reach: Reach, found: Found, page: string | null, subject: string): Added {
        return this.#step('expand', subject, () => {
            const before = this.expansion(key, reach);
            const added = this.#insert(found, `expand ${key}`, key);
            this.#record({
                t: 'expansion',
                id: expansionId(key, reach),
                from: before,
                to: { reach, read: (before?.read ?? 0) + found.edges.length, page },
            });
            return added;
        });
    }

    /** Takes back what the expansions of `key` brought and nothing else holds. */
    collapse(key: Key, subject: string): void {
        this.#step('collapse', subject, () => this.#collapse(key));
    }

    /** Removes vertices and edges from the scene, not from the graph. */
    remove(keys: Iterable<Key>, subject: string): void {
        this.#step('remove', subject, () => {
            for (const key of keys) {
                if (this.nodes.has(key)) this.#drop(key);
                else if (this.edges.has(key)) this.#record({ t: 'edge', edge: this.edges.get(key)!, add: false });
            }
        });
    }

    clear(subject: string): void {
        this.#step('clear', subject, () => {
            for (const edge of [...this.edges.values()]) this.#record({ t: 'edge', edge, add: false });
            for (const node of [...this.nodes.values()]) this.#record({ t: 'node', node, add: false });
            for (const [id, from] of [...this.#expansions]) this.#record({ t: 'expansion', id, from, to: undefined });
        });
    }

    hide(keys: Iterable<Key>, subject: string): void {
        this.#step('hide', subject, () => {
            for (const key of keys) this.#set(key, 'hidden', true);
        });
    }

    showAll(subject: string): void {
        this.#step('show', subject, () => {
            for (const node of this.nodes.values()) if (node.hidden) this.#set(node.key, 'hidden', false);
            for (const edge of this.edges.values()) if (edge.hidden) this.#set(edge.key, 'hidden', false);
            if (this.#filter.size > 0) this.#record({ t: 'filter', from: this.#filter, to: new Set() });
        });
    }

    pin(keys: Iterable<Key>, pinned: boolean, subject: string): void {
        this.#step(pinned ? 'pin' : 'unpin', subject, () => {
            for (const key of keys) if (this.nodes.has(key)) this.#set(key, 'pinned', pinned);
        });
    }

    /** Hides or shows all vertices or edges of a label. */
    toggleFilter(kind: 'vertex' | 'edge', label: string): void {
        const to = new Set(this.#filter);
        const id = `${kind} ${label}`;
        if (!to.delete(id)) to.add(id);
        this.#step('filter', label, () => this.#record({ t: 'filter', from: this.#filter, to }));
    }

    /** Moves vertices by hand: one step when the hand lets go. `from` are the places before. */
    move(from: ReadonlyMap<Key, { x: number; y: number }>, subject: string): void {
        const to = new Map<Key, { x: number; y: number }>();
        for (const [key, place] of from) {
            const node = this.nodes.get(key);
            if (!node) continue;
            to.set(key, { x: node.x, y: node.y });
            node.x = place.x;
            node.y = place.y;
        }
        this.#step(
            'move',
            subject,
            () => {
                for (const [key, place] of to) Object.assign(this.nodes.get(key)!, place);
            },
            true,
        );
        this.#tell('positions');
    }

    /** Begins a step of its own for a layout that was asked for; its places then come through `place`. */
    beginLayout(subject: string): void {
        this.#step('layout', subject, () => undefined, true);
    }

    /** Sets places, as a layout gives them: part of the step before. `xy` holds x and y of each key in turn. */
    place(keys: readonly Key[], xy: ArrayLike<number>): void {
        keys.forEach((key, i) => {
            const node = this.nodes.get(key);
            if (!node) return;
            node.x = xy[2 * i]!;
            node.y = xy[2 * i + 1]!;
        });
        this.#tell('positions');
    }

    /** Replaces elements by what the server has now, after an edit. */
    update(found: Found, subject: string): void {
        this.#step('edit', subject, () => {
            for (const vertex of found.vertices)
                if (this.nodes.has(vertex.key)) this.#set(vertex.key, 'vertex', vertex);
            for (const edge of found.edges) if (this.edges.has(edge.key)) this.#setEdge(edge.key, 'edge', edge);
        });
    }

    undo(): boolean {
        const step = this.#done.pop();
        if (!step) return false;
        step.after = { positions: this.#positions(), selection: this.#selection };
        for (let i = step.ops.length - 1; i >= 0; i -= 1) this.#apply(step.ops[i]!, false);
        this.#restore(step.before);
        this.#undone.push(step);
        this.#tell('structure');
        return true;
    }

    redo(): boolean {
        const step = this.#undone.pop();
        if (!step?.after) return false;
        for (const op of step.ops) this.#apply(op, true);
        this.#restore(step.after);
        this.#done.push(step);
        this.#tell('structure');
        return true;
    }

    // --- Saving

    /** All that is needed to show the scene again. */
    save(): SavedScene {
        return {
            nodes: [...this.nodes.values()].map((n) => ({
                vertex: n.vertex,
                x: round(n.x),
                y: round(n.y),
                ...(n.hidden && { hidden: true }),
                ...(n.pinned && { pinned: true }),
                origins: n.origins,
            })),
            edges: [...this.edges.values()].map((e) => ({
                edge: e.edge,
                ...(e.hidden && { hidden: true }),
                origins: e.origins,
            })),
            expansions: [...this.#expansions].map(([id, e]) => ({ id, ...e })),
            selection: [...this.#selection],
            filter: [...this.#filter],
        };
    }

    /** Replaces everything by a saved scene. One step, so that it can be undone. */
    load(saved: SavedScene, subject: string): void {
        this.#step('load', subject, () => {
            for (const edge of [...this.edges.values()]) this.#record({ t: 'edge', edge, add: false });
            for (const node of [...this.nodes.values()]) this.#record({ t: 'node', node, add: false });
            for (const [id, from] of [...this.#expansions]) this.#record({ t: 'expansion', id, from, to: undefined });
            for (const { vertex, x, y, hidden, pinned, origins } of saved.nodes) {
                if (this.nodes.has(vertex.key)) continue;
                const node = {
                    key: vertex.key,
                    vertex,
                    x,
                    y,
                    hidden: !!hidden,
                    pinned: !!pinned,
                    origins: [...origins],
                };
                this.#record({ t: 'node', node, add: true });
            }
            for (const { edge, hidden, origins } of saved.edges) {
                if (this.edges.has(edge.key) || !this.nodes.has(edge.source) || !this.nodes.has(edge.target)) continue;
                this.#record({
                    t: 'edge',
                    edge: { key: edge.key, edge, hidden: !!hidden, origins: [...origins] },
                    add: true,
                });
            }
            for (const { id, reach, read, page } of saved.expansions) {
                this.#record({ t: 'expansion', id, from: undefined, to: { reach, read, page } });
            }
            this.#record({ t: 'filter', from: this.#filter, to: new Set(saved.filter) });
            this.#selection = new Set(saved.selection.filter((key) => this.nodes.has(key) || this.edges.has(key)));
        });
    }

    // --- Parts

    #nextOrigin = 1;

    #insert(found: Found, origin: string, around: Key | null): Added {
        const added: Added & { dangling: number } = { nodes: [], edges: [], dangling: 0 };
        const fresh = new Map<Key, Vertex>();
        for (const vertex of found.vertices) {
            const node = this.nodes.get(vertex.key);
            if (node) {
                if (node.key !== around) this.#hold(node, origin);
                if (node.hidden) this.#set(node.key, 'hidden', false);
            } else {
                fresh.set(vertex.key, vertex);
            }
        }
        const places = this.#freePlaces(fresh.size, around);
        [...fresh.values()].forEach((vertex, i) => {
            added.nodes.push(vertex.key);
            const { x, y } = places[i]!;
            const node = { key: vertex.key, vertex, x, y, hidden: false, pinned: false, origins: [origin] };
            this.#record({ t: 'node', node, add: true });
        });
        for (const edge of found.edges) {
            const known = this.edges.get(edge.key);
            if (known) {
                this.#hold(known, origin);
            } else if (this.nodes.has(edge.source) && this.nodes.has(edge.target)) {
                added.edges.push(edge.key);
                this.#record({ t: 'edge', edge: { key: edge.key, edge, hidden: false, origins: [origin] }, add: true });
                // Ends that were drawn before are held by this expansion, too.
                for (const end of [edge.source, edge.target]) {
                    if (end !== around) this.#hold(this.nodes.get(end)!, origin);
                }
            } else {
                added.dangling += 1;
            }
        }
        return added;
    }

    /** Places for new nodes: on rings around the one they belong to, else on a sunflower beside what is there. */
    #freePlaces(n: number, around: Key | null): { x: number; y: number }[] {
        const centre = around === null ? undefined : this.nodes.get(around);
        if (centre) {
            const start = hash(centre.key) * 2 * Math.PI;
            return Array.from({ length: n }, (_, i) => {
                const ring = Math.floor(i / 24);
                const angle = start + (2 * Math.PI * (i % 24)) / Math.min(24, n) + ring * 0.13;
                const radius = 90 + 45 * ring;
                return { x: centre.x + radius * Math.cos(angle), y: centre.y + radius * Math.sin(angle) };
            });
        }
        let right = 0;
        let middle = 0;
        if (this.nodes.size > 0) {
            let [top, bottom] = [-Infinity, Infinity];
            right = -Infinity;
            for (const node of this.nodes.values()) {
                right = Math.max(right, node.x);
                top = Math.max(top, node.y);
                bottom = Math.min(bottom, node.y);
            }
            middle = (top + bottom) / 2;
            right += 80 + 36 * Math.sqrt(n);
        }
        return Array.from({ length: n }, (_, i) => {
            const radius = 36 * Math.sqrt(i);
            const angle = i * 2.399963;
            return { x: right + radius * Math.cos(angle), y: middle + radius * Math.sin(angle) };
        });
    }

    #hold(element: SceneNode | SceneEdge, origin: string): void {
        if (element.origins.includes(origin)) return;
        const to = [...element.origins, origin];
        if ('vertex' in element) this.#set(element.key, 'origins', to);
        else this.#setEdge(element.key, 'origins', to);
    }

    #collapse(key: Key): void {
        const waiting = [key];
        const visited = new Set<Key>();
        while (waiting.length > 0) {
            const origin = waiting.pop()!;
            if (visited.has(origin)) continue;
            visited.add(origin);
            for (const [id, from] of [...this.#expansions]) {
                if (id.startsWith(`${origin} `)) this.#record({ t: 'expansion', id, from, to: undefined });
            }
            const name = `expand ${origin}`;
            for (const edge of [...this.edges.values()]) {
                if (!edge.origins.includes(name)) continue;
                const rest = edge.origins.filter((o) => o !== name);
                if (rest.length === 0) this.#record({ t: 'edge', edge, add: false });
                else this.#setEdge(edge.key, 'origins', rest);
            }
            for (const node of [...this.nodes.values()]) {
                if (!node.origins.includes(name)) continue;
                const rest = node.origins.filter((o) => o !== name);
                if (rest.length === 0 && !visited.has(node.key)) {
                    waiting.push(node.key);
                    this.#drop(node.key);
                } else {
                    this.#set(node.key, 'origins', rest);
                }
            }
        }
    }

    #drop(key: Key): void {
        for (const edge of [...this.edgesOf(key)]) this.#record({ t: 'edge', edge: this.edges.get(edge)!, add: false });
        this.#record({ t: 'node', node: this.nodes.get(key)!, add: false });
        for (const [id, from] of [...this.#expansions]) {
            if (id.startsWith(`${key} `)) this.#record({ t: 'expansion', id, from, to: undefined });
        }
    }

    #set(key: Key, field: 'hidden' | 'pinned' | 'origins' | 'vertex', to: unknown): void {
        const node = this.nodes.get(key);
        if (!node) {
            if (field === 'hidden' && this.edges.has(key)) this.#setEdge(key, field, to);
            return;
        }
        if (node[field] !== to) this.#record({ t: 'nodeSet', key, field, from: node[field], to });
    }

    #setEdge(key: Key, field: 'hidden' | 'origins' | 'edge', to: unknown): void {
        const edge = this.edges.get(key)!;
        if (edge[field] !== to) this.#record({ t: 'edgeSet', key, field, from: edge[field], to });
    }

    #record(op: Op): void {
        this.#apply(op, true);
        this.#open!.ops.push(op);
    }

    #apply(op: Op, forward: boolean): void {
        switch (op.t) {
            case 'node':
                if (op.add === forward) {
                    this.nodes.set(op.node.key, op.node);
                } else {
                    this.nodes.delete(op.node.key);
                    this.#adjacent.delete(op.node.key);
                    this.#deselect(op.node.key);
                }
                break;
            case 'edge': {
                const { key, edge } = op.edge;
                if (op.add === forward) {
                    this.edges.set(key, op.edge);
                    for (const end of [edge.source, edge.target]) {
                        const known = this.#adjacent.get(end);
                        if (known) known.add(key);
                        else this.#adjacent.set(end, new Set([key]));
                    }
                } else {
                    this.edges.delete(key);
                    for (const end of [edge.source, edge.target]) this.#adjacent.get(end)?.delete(key);
                    this.#deselect(key);
                }
                break;
            }
            case 'nodeSet':
                Object.assign(this.nodes.get(op.key)!, { [op.field]: forward ? op.to : op.from });
                break;
            case 'edgeSet':
                Object.assign(this.edges.get(op.key)!, { [op.field]: forward ? op.to : op.from });
                break;
            case 'expansion': {
                const value = forward ? op.to : op.from;
                if (value) this.#expansions.set(op.id, value);
                else this.#expansions.delete(op.id);
                break;
            }
            case 'filter':
                this.#filter = forward ? op.to : op.from;
        }
    }

    #deselect(key: Key): void {
        if (!this.#selection.has(key)) return;
        const rest = new Set(this.#selection);
        rest.delete(key);
        this.#selection = rest;
    }

    #step<T>(name: StepName, subject: string, work: () => T, always = false): T {
        const step: Step = {
            name,
            subject,
            ops: [],
            before: { positions: this.#positions(), selection: this.#selection },
            after: null,
        };
        this.#open = step;
        try {
            return work();
        } finally {
            this.#open = null;
            if (always || step.ops.length > 0) {
                this.#done.push(step);
                this.#undone = [];
                let kept = this.#done.reduce((sum, s) => sum + weight(s), 0);
                while (this.#done.length > 1 && (this.#done.length > STEPS_MAX || kept > KEPT_MAX)) {
                    kept -= weight(this.#done.shift()!);
                }
                this.#tell('structure');
            }
        }
    }

    #positions(): Positions {
        const keys = [...this.nodes.keys()];
        const xy = new Float64Array(2 * keys.length);
        keys.forEach((key, i) => {
            const node = this.nodes.get(key)!;
            xy[2 * i] = node.x;
            xy[2 * i + 1] = node.y;
        });
        return { keys, xy };
    }

    #restore({ positions, selection }: { positions: Positions; selection: ReadonlySet<Key> }): void {
        positions.keys.forEach((key, i) => {
            const node = this.nodes.get(key);
            if (!node) return;
            node.x = positions.xy[2 * i]!;
            node.y = positions.xy[2 * i + 1]!;
        });
        this.#selection = selection;
    }

    #tell(change: Change): void {
        for (const listener of this.#listeners) listener(change);
    }
}

/** A scene as it is kept in the browser, in a file and in a link. */
export interface SavedScene {
    readonly nodes: readonly {
        vertex: Vertex;
        x: number;
        y: number;
        hidden?: boolean;
        pinned?: boolean;
        origins: readonly string[];
    }[];
    readonly edges: readonly { edge: Edge; hidden?: boolean; origins: readonly string[] }[];
    readonly expansions: readonly ({ id: string } & Expansion)[];
    readonly selection: readonly Key[];
    readonly filter: readonly string[];
}

const NONE: ReadonlySet<Key> = new Set();

function weight(step: Step): number {
    return step.ops.length + step.before.positions.keys.length;
}

function expansionId(key: Key, reach: Reach): string {
    return `${key} ${reach.direction} ${reach.label ?? ''}`;
}

function sameSet(a: ReadonlySet<Key>, b: ReadonlySet<Key>): boolean {
    if (a.size !== b.size) return false;
    const [x, y] = [[...a], [...b]];
    return x.every((key, i) => key === y[i]);
}

function round(x: number): number {
    return Math.round(x * 10) / 10;
}

/** A number in [0, 1) from a text, the same each time (FNV-1a). */
export function hash(text: string): number {
    let h = 0x811c9dc5;
    for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
    return (h >>> 0) / 2 ** 32;
}
