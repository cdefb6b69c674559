// The state of the Explore page: the scene, what is in the foreground, and the actions.
import { Latest, send } from '../../api/client';
import { ApiError, isAbort } from '../../api/errors';
import * as api from '../../api/graph';
import { parse, stringify, type Value } from '../../api/json';
import type { PropertyKey, Schema, Vertex as ApiVertex } from '../../api/types';
import { store, stored } from '../../app/settings.svelte';
import { edgeOf, foundOf, isVertexKey, keyText, vertexOf, type Strategies } from '../../graph/elements';
import { LayoutRunner, layoutInput } from '../../graph/layout';
import type { LayoutName } from '../../graph/layoutNames';
import { restored, type LinkedScene } from '../../graph/link';
import type { Figure } from '../../graph/figure';
import type { Plain } from '../../graph/pace';
import { Looks, type Palette, type Styles } from '../../graph/look';
import { Scene, type Change, type Count, type Found, type Key, type Reach, type SavedScene } from '../../graph/scene';
import type { View } from '../../graph/stage';
import { i18n } from '../../i18n/i18n.svelte';
import { recentCount, type Counts } from '../overview/counts';
import * as requests from './requests';
import type { Traversal, TraversalAnswer, TraversalForm } from './requests';

/** Elements an expansion or a list brings at once. */
export const STEP = 50;
/** Vertices above which the page asks before it draws more. */
export const ASK_NODES = 5_000;
export const NODES_MAX = 20_000;
export const EDGES_MAX = 60_000;
/** Vertices among which edges are looked for. */
export const CONNECT_NODES_MAX = 2_000;

export const ALL: Reach = { direction: 'BOTH', label: null };

/** A list that is being added page by page. */
export interface Listing {
    readonly label: string;
    readonly where: Readonly<Record<string, Value>>;
    readonly text: string;
    readonly shown: number;
    readonly page: string | null;
}

/** What a traverser found, as it is listed. */
export interface PathResult {
    readonly traversal: Traversal;
    readonly rows: readonly { keys: Key[]; edges: Key[]; weight: number | null }[];
    readonly nodes: number;
    readonly similarity: number | null;
    /** The row in the foreground; null: all. */
    readonly chosen: number | null;
    readonly elapsedMs: number;
}

export class Explorer {
    readonly scene = new Scene();
    readonly #runner = new LayoutRunner();
    readonly #latest = new Latest();
    readonly #degrees = new Latest();
    readonly #totals = new Latest();
    #degreeTimer: ReturnType<typeof setTimeout> | undefined;

    schema = $state.raw<Schema | undefined>(undefined);
    /** Counters of changes: reading one makes an effect depend on it. */
    structure = $state(0);
    look = $state(0);
    places = $state(0);
    selected = $state(0);
    counted = $state(0);

    styles = $state.raw<Styles>({ vertices: {}, edges: {} });
    palette = $state.raw<Palette | null>(null);
    layout = $state<LayoutName>('force');
    running = $state(false);
    busy = $state.raw<{ text: string; since: number } | null>(null);
    failure = $state.raw<unknown>(null);
    /** How to do again what failed; null where that is not offered. */
    again = $state.raw<(() => void) | null>(null);
    /** A sentence for the live region and the bar below the canvas. */
    notice = $state('');
    listing = $state.raw<Listing | null>(null);
    result = $state.raw<PathResult | null>(null);
    /** What an algorithm said of the vertices that were drawn when it ran. */
    figure = $state.raw<Figure | null>(null);
    hovered = $state<Key | null>(null);
    /** The row of the legend under the pointer, as `vertex person`. */
    pointed = $state<string | null>(null);
    /** Ends of paths, as chosen in the panel. */
    source = $state<Key | null>(null);
    target = $state<Key | null>(null);
    /** What the user has to agree to before it is done. */
    question = $state.raw<{ text: string; yes: () => void } | null>(null);
    /** Asks the canvas to show these vertices, or all. */
    fit = $state.raw<{ keys: Key[] | null; animate: boolean } | null>(null);
    agreed = false;
    /** What is left out because drawing is slow here. */
    plain = $state<Plain>(0);
    /** How many elements each label has in the graph; null until it is counted, and where it cannot be. */
    totals = $state.raw<Counts | null>(null);

    constructor(readonly graph: string) {
        this.scene.listen((change: Change) => this.#changed(change));
        try {
            const kept = parse(stored(`styles.${graph}`) ?? '{}') as unknown as Partial<Styles>;
            this.styles = { vertices: kept.vertices ?? {}, edges: kept.edges ?? {} };
        } catch {
            // Written by another version: begin anew.
        }
    }

    destroy(): void {
        this.#latest.cancel();
        this.#degrees.cancel();
        this.#totals.cancel();
        clearTimeout(this.#degreeTimer);
        this.#runner.destroy();
    }

    #changed(change: Change): void {
        if (change === 'structure') {
            this.structure += 1;
            this.selected += 1;
        } else if (change === 'look') this.look += 1;
        else if (change === 'positions') this.places += 1;
        else if (change === 'selection') this.selected += 1;
        else this.counted += 1;
    }

    /** Counts the graph by label, for the legend. Whoever may not query, or has too large a graph, goes without. */
    async countAll(): Promise<void> {
        const { schema } = this;
        if (!schema) return;
        this.totals =
            (await this.#totals.run((signal) => recentCount(this.graph, schema, signal).catch(() => null))) ?? null;
    }

    get strategies(): Strategies {
        const known = new Map(this.schema?.vertexlabels.map(({ name, id_strategy }) => [name, id_strategy]));
        return (label) => known.get(label);
    }

    propertyKey(name: string): PropertyKey | undefined {
        return this.schema?.propertykeys.find((key) => key.name === name);
    }

    /** The place of a vertex label in the schema. */
    labelNumber(label: string): number {
        const at = this.schema?.vertexlabels.findIndex(({ name }) => name === label) ?? -1;
        return at >= 0 ? at : (this.schema?.vertexlabels.length ?? 0);
    }

    /** A name for sentences: the caption of a vertex, or the label of an edge. */
    name(key: Key): string {
        const node = this.scene.nodes.get(key);
        if (node) return this.looks().node(node).caption;
        return this.scene.edges.get(key)?.edge.label ?? keyText(key);
    }

    #looks: { looks: Looks; structure: number; styles: Styles; palette: Palette; figure: Figure | null } | null = null;

    /** Styles as they apply to what is drawn now. */
    looks(): Looks {
        const palette = this.palette ?? PLAIN;
        const { styles, structure, figure } = this;
        const known = this.#looks;
        if (
            known &&
            known.structure === structure &&
            known.styles === styles &&
            known.palette === palette &&
            known.figure === figure
        )
            return known.looks;
        const looks = new Looks(this.scene, styles, palette, (label) => this.labelNumber(label), figure);
        this.#looks = { looks, structure, styles, palette, figure };
        return looks;
    }

    /** What the stage shows. */
    view(): View {
        const looks = this.looks();
        const { scene } = this;
        const nodes = new Map<object, ReturnType<Looks['node']>>();
        const front = this.foreground();
        const pointed = this.pointed;
        let dimmed: View['dimmed'] = null;
        if (pointed !== null) {
            dimmed = (key) => {
                const node = scene.nodes.get(key);
                if (node) {
                    if (pointed.startsWith('vertex ')) return `vertex ${node.vertex.label}` !== pointed;
                    for (const edge of scene.edgesOf(key))
                        if (`edge ${scene.edges.get(edge)!.edge.label}` === pointed) return false;
                    return true;
                }
                const edge = scene.edges.get(key);
                return !edge || `edge ${edge.edge.label}` !== pointed;
            };
        } else if (front.size > 0) {
            dimmed = (key) => !front.has(key);
        }
        return {
            scene,
            palette: looks.palette,
            plain: this.plain,
            node(node) {
                let look = nodes.get(node);
                if (!look) nodes.set(node, (look = looks.node(node)));
                return look;
            },
            edge: (edge) => looks.edge(edge),
            dimmed,
        };
    }

    /** Vertices and edges of the path that is shown. */
    foreground(): Set<Key> {
        const found = new Set<Key>();
        const { result } = this;
        if (!result || result.traversal === 'kout' || result.traversal === 'kneighbor') {
            if (!result || result.chosen === null) return found;
        }
        result.rows.forEach(({ keys, edges }, i) => {
            if (result.chosen !== null && result.chosen !== i) return;
            for (const key of [...keys, ...edges])
                if (this.scene.nodes.has(key) || this.scene.edges.has(key)) found.add(key);
        });
        return found;
    }

    // --- Styles

    setStyles(styles: Styles): void {
        this.styles = styles;
        this.look += 1;
        store(`styles.${this.graph}`, stringify(styles));
    }

    /** Shows a figure by colour and size; null goes back to the styles. */
    setFigure(figure: Figure | null): void {
        this.figure = figure;
        this.look += 1;
    }

    /** The keys of the vertices that are drawn, by their ids with their type, as results name them. */
    drawnIds(): Map<string, Key> {
        const found = new Map<string, Key>();
        for (const key of this.scene.nodes.keys()) {
            const uuid = /^U(".*")$/s.exec(key);
            const id = parse(uuid?.[1] ?? key);
            found.set(`${typeof id} ${String(id)}`, key);
        }
        return found;
    }

    // --- Selection

    select(keys: Iterable<Key>): void {
        this.scene.select(keys);
        const { focus, selection } = this.scene;
        if (focus !== null && selection.size === 1 && this.scene.nodes.has(focus)) this.#wantDegrees(focus);
    }

    /** Counts the neighbours of the selected vertex, unless something else is done with it first. */
    #wantDegrees(key: Key): void {
        clearTimeout(this.#degreeTimer);
        if (this.scene.degrees(key)) return;
        this.#degreeTimer = setTimeout(() => {
            if (this.scene.focus !== key || this.scene.degrees(key)) return;
            void this.#degrees
                .run((signal) => requests.degreesAnd(this.graph, key, [], signal))
                .then((answer) => {
                    if (answer?.degrees) this.scene.setDegrees(key, answer.degrees);
                })
                // The count stays unknown, which the inspector says.
                .catch(() => undefined);
        }, 350);
    }

    // --- Work that asks the server

    /** Runs one action; a newer one takes its place. */
    async work<T>(
        text: string,
        work: (signal: AbortSignal) => Promise<T>,
        again: (() => void) | null = null,
    ): Promise<T | undefined> {
        clearTimeout(this.#degreeTimer);
        this.failure = null;
        this.again = null;
        const mine = { text, since: performance.now() };
        this.busy = mine;
        try {
            return await this.#latest.run(work);
        } catch (error) {
            if (!isAbort(error)) {
                this.failure = error;
                this.again = again;
                this.notice = error instanceof Error ? error.message : String(error);
            }
            return undefined;
        } finally {
            if (this.busy === mine) this.busy = null;
        }
    }

    /** Ends what is under way. */
    cancel(): void {
        this.#latest.cancel();
        this.#runner.stop();
        this.running = false;
        this.busy = null;
        this.notice = i18n.t.explore.cancelled;
    }

    /** Whether `more` vertices may be drawn. Asks, or refuses with advice. */
    #room(more: number, edges: number, then: () => void): boolean {
        const { t } = i18n;
        if (this.scene.nodes.size + more > NODES_MAX || this.scene.edges.size + edges > EDGES_MAX) {
            this.failure = new Error(t.explore.tooMany(i18n.number(NODES_MAX), i18n.number(EDGES_MAX)));
            this.notice = this.failure instanceof Error ? this.failure.message : '';
            return false;
        }
        if (this.scene.nodes.size + more > ASK_NODES && !this.agreed) {
            this.question = {
                text: t.explore.askMany(i18n.number(this.scene.nodes.size + more), i18n.number(ASK_NODES)),
                yes: () => {
                    this.agreed = true;
                    this.question = null;
                    then();
                },
            };
            return false;
        }
        return true;
    }

    /** Adds vertices by key. One request. */
    async addKeys(keys: readonly Key[]): Promise<void> {
        const { t } = i18n;
        const first = keys[0];
        if (first === undefined) return;
        const one = keys.length === 1;
        const vertices = await this.work(t.explore.loading, async (signal) => {
            if (!one) return requests.verticesOf(this.graph, keys, signal);
            const path = `${api.base(this.graph)}/graph/vertices/${encodeURIComponent(first)}`;
            return [await send<ApiVertex>('GET', path, { signal })];
        });
        if (!vertices) return;
        const subject = one ? keyText(first) : i18n.number(keys.length);
        this.#added(foundOf(vertices, [], this.strategies), subject);
        if (vertices.length < keys.length) this.notice = t.explore.missing(i18n.number(keys.length - vertices.length));
    }

    /** Adds the first page of a label, or of what a condition finds; or the next page. One request. */
    async addListed(label: string, where: Record<string, Value>, text: string, next = false): Promise<void> {
        if (!this.#room(STEP, 0, () => void this.addListed(label, where, text, next))) return;
        const before = next ? this.listing : null;
        const page = await this.work(
            i18n.t.explore.loading,
            (signal) =>
                api.vertices(this.graph, { label, properties: where, limit: STEP, page: before?.page ?? '' }, signal),
            () => void this.addListed(label, where, text, next),
        );
        if (!page) return;
        const shown = (before?.shown ?? 0) + page.items.length;
        this.listing = { label, where, text, shown, page: page.next };
        this.#added(foundOf(page.items, [], this.strategies), text);
        this.notice =
            shown === 0
                ? i18n.t.explore.nothing(text)
                : page.next === null
                  ? i18n.t.explore.allListed(i18n.number(shown), text)
                  : i18n.t.explore.someListed(i18n.number(shown), text);
    }

    #added(found: Found, subject: string): void {
        const added = this.scene.add(found, subject);
        const keys = found.vertices.map(({ key }) => key);
        if (keys.length === 1) this.select(keys);
        if (added.nodes.length > 0) this.arrange();
        else if (keys.length > 0) this.fit = { keys, animate: true };
        if (keys.length > 0) this.notice = i18n.t.explore.added(i18n.number(added.nodes.length), subject);
    }

    /** Brings the next neighbours of a vertex. Two requests: edges; their ends, with counts the first time. */
    async expand(key: Key, reach: Reach = ALL, limit = STEP): Promise<void> {
        const { scene } = this;
        const before = scene.expansion(key, reach);
        const name = this.name(key);
        if (before && before.page === null) {
            this.notice = i18n.t.explore.allThere(name);
            return;
        }
        if (!this.#room(limit, limit, () => void this.expand(key, reach, limit))) return;
        const answer = await this.work(
            i18n.t.explore.expanding(name),
            async (signal) => {
                const page = await requests.edgesAt(this.graph, key, reach, limit, before?.page ?? '', signal);
                const edges = page.items.map((edge) => edgeOf(edge, this.strategies));
                const missing = new Set(
                    edges.flatMap(({ source, target }) => [source, target]).filter((end) => !scene.nodes.has(end)),
                );
                if (scene.degrees(key)) {
                    const vertices = await requests.verticesOf(this.graph, [...missing], signal);
                    return { page, vertices, degrees: null };
                }
                return { page, ...(await requests.degreesAnd(this.graph, key, [...missing], signal)) };
            },
            () => void this.expand(key, reach, limit),
        );
        if (!answer || !scene.nodes.has(key)) return;
        const added = scene.expand(
            key,
            reach,
            foundOf(answer.vertices, answer.page.items, this.strategies),
            answer.page.next,
            name,
        );
        if (answer.degrees) scene.setDegrees(key, answer.degrees);
        if (added.nodes.length > 0) this.arrange();
        this.notice =
            added.nodes.length === 0 && answer.page.next === null
                ? i18n.t.explore.allThere(name)
                : i18n.t.explore.expanded(i18n.number(added.nodes.length));
    }

    /** "50 of 1,204 neighbours of Jan". */
    shownOf(key: Key): string {
        void this.counted;
        void this.structure;
        const shown = i18n.number(this.scene.neighbours(key).size);
        return i18n.t.explore.shownOf(shown, this.count(this.scene.degrees(key)?.neighbours ?? null), this.name(key));
    }

    count(count: Count): string {
        if (count === null) return i18n.t.common.unknown;
        return (count.more ? '≥ ' : '') + i18n.number(count.n);
    }

    /** Neighbours that are not drawn; null if not known. */
    notShown(key: Key): Count {
        const all = this.scene.degrees(key)?.neighbours ?? null;
        if (all === null) return null;
        const n = Math.max(0, all.n - this.scene.neighbours(key).size);
        return { n, more: all.more };
    }

    collapse(key: Key): void {
        if (!this.scene.expanded(key)) return;
        this.scene.collapse(key, this.name(key));
        this.notice = i18n.t.explore.collapsed(this.name(key));
    }

    /** Draws the edges among what is drawn. One request. */
    async connect(): Promise<void> {
        const { t } = i18n;
        const keys = [...this.scene.nodes.keys()];
        if (keys.length > CONNECT_NODES_MAX) {
            this.failure = new Error(t.explore.connectMany(i18n.number(CONNECT_NODES_MAX)));
            return;
        }
        const drawn = new Set([...this.scene.nodes.values()].map(({ vertex }) => vertex.label));
        const labels = (this.schema?.edgelabels ?? [])
            .filter(({ source_label, target_label }) => drawn.has(source_label) && drawn.has(target_label))
            .map(({ name }) => name);
        const edges = await this.work(t.explore.connecting, (signal) =>
            requests.edgesAmong(this.graph, keys, labels, signal),
        );
        if (!edges) return;
        const added = this.scene.add(foundOf([], edges, this.strategies), i18n.number(edges.length), 'connect');
        const isPart = edges.length >= requests.CONNECT_MAX;
        this.notice = (isPart ? t.explore.connectedPart : t.explore.connected)(i18n.number(added.edges.length));
        if (added.edges.length > 0) this.arrange();
    }

    // --- Paths

    /** Runs a traverser, adds what it found and puts it in the foreground. */
    async find(form: TraversalForm): Promise<void> {
        const { t } = i18n;
        const started = performance.now();
        const answer = await this.work(
            t.explore.searching,
            async (signal): Promise<TraversalAnswer> => {
                const first = await requests.traverse(this.graph, form, signal);
                if (form.traversal !== 'sameneighbors' || first.shared.length === 0) return first;
                const pair = [form.source, form.target!];
                const shared = first.shared.map((id) => this.keyOf(id, []));
                const more = await requests.edgesToShared(this.graph, pair, shared, form.label, signal);
                return { ...first, ...more };
            },
            () => void this.find(form),
        );
        if (!answer) return;
        const found = foundOf(answer.vertices, answer.edges, this.strategies);
        const fresh = found.vertices.filter(({ key }) => !this.scene.nodes.has(key)).length;
        const show = (): void => this.#show(form, answer, found, performance.now() - started);
        if (this.#room(fresh, found.edges.length, show)) show();
    }

    /** The key of an id in an answer, whose vertices tell what kind it is. */
    keyOf(id: Value, vertices: readonly ApiVertex[]): Key {
        const vertex = vertices.find((one) => one.id === id);
        return vertex ? vertexOf(vertex, this.strategies).key : stringify(id);
    }

    #show(form: TraversalForm, answer: TraversalAnswer, found: Found, elapsedMs: number): void {
        const { t } = i18n;
        if (found.vertices.length > 0) this.scene.add(found, t.explore.traversals[form.traversal], 'path');
        const keys = new Map(answer.vertices.map((vertex, i) => [vertex.id, found.vertices[i]!.key]));
        const key = (id: Value): Key => keys.get(id as string) ?? stringify(id);
        const between = new Map<string, Key[]>();
        for (const edge of found.edges) {
            const pair = [edge.source, edge.target].sort().join(' ');
            const known = between.get(pair);
            if (known) known.push(edge.key);
            else between.set(pair, [edge.key]);
        }
        const pair = (a: Key, b: Key): Key[] => between.get([a, b].sort().join(' ')) ?? [];
        let rows = answer.paths.map((path, i) => {
            const ids = path.map(key);
            const edges = ids.slice(1).flatMap((id, at) => pair(ids[at]!, id));
            return { keys: ids, edges, weight: answer.weights[i] ?? null };
        });
        if (form.traversal === 'sameneighbors') {
            rows = answer.shared.map((id) => {
                const middle = key(id);
                const edges = [...pair(form.source, middle), ...pair(middle, form.target!)];
                return { keys: [form.source, middle, form.target!], edges, weight: null };
            });
        }
        const nodes = found.vertices.length;
        this.result = {
            traversal: form.traversal,
            rows,
            nodes,
            similarity: answer.similarity,
            chosen: null,
            elapsedMs,
        };
        this.look += 1;
        this.select([
            form.source,
            ...(form.target !== null && requests.needsTarget(form.traversal) ? [form.target] : []),
        ]);
        if (found.vertices.length > 0) this.arrange();
        this.notice =
            answer.similarity !== null
                ? t.explore.similarity(i18n.number(answer.similarity, 4))
                : rows.length === 0
                  ? t.explore.noPath
                  : t.explore.found(i18n.number(rows.length));
    }

    choose(row: number | null): void {
        if (!this.result) return;
        this.result = { ...this.result, chosen: row };
        this.look += 1;
        if (row !== null) this.fit = { keys: this.result.rows[row]!.keys, animate: true };
    }

    closeResult(): void {
        this.result = null;
        this.look += 1;
    }

    // --- Places

    /** Lays the visible scene out. `asStep`: as a step that can be undone by itself. */
    arrange(asStep = false): void {
        const { scene } = this;
        if (scene.nodes.size === 0) return;
        const looks = this.looks();
        const root = scene.focus !== null && scene.nodes.has(scene.focus) ? scene.focus : null;
        const { input, keys } = layoutInput(scene, (key) => looks.node(scene.nodes.get(key)!).size, root);
        if (asStep) scene.beginLayout(i18n.t.explore.layouts[this.layout]);
        const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
        const ms = keys.length > 5000 ? 8000 : keys.length > 500 ? 3000 : 1400;
        if (keys.length > 500) this.fit = { keys: null, animate: false };
        this.running = true;
        this.#runner.start({
            name: this.layout,
            input,
            keys,
            ms,
            every: still ? 0 : keys.length > 5000 ? 2500 : keys.length > 1000 ? 250 : 60,
            tick: (xy, done) => {
                scene.place(keys, xy);
                this.fit = { keys: null, animate: done && !still };
                if (done) this.running = false;
            },
            failed: (message) => {
                this.running = false;
                this.failure = new Error(i18n.t.explore.layoutFailed(message));
            },
        });
    }

    stopLayout(): void {
        this.#runner.stop();
        this.running = false;
    }

    setLayout(name: LayoutName): void {
        this.layout = name;
        this.arrange(true);
    }

    undo(): void {
        this.stopLayout();
        if (this.scene.undo()) this.notice = i18n.t.explore.undone;
    }

    redo(): void {
        this.stopLayout();
        if (this.scene.redo()) this.notice = i18n.t.explore.redone;
    }

    // --- Whole scenes

    load(saved: SavedScene, subject: string, layout: LayoutName): void {
        this.stopLayout();
        this.result = null;
        this.layout = layout;
        this.scene.load(saved, subject);
        this.fit = { keys: null, animate: false };
        this.notice = i18n.t.explore.loaded(subject);
        const { focus, selection } = this.scene;
        if (focus !== null && selection.size === 1 && this.scene.nodes.has(focus)) this.#wantDegrees(focus);
    }

    /** Restores a scene from a link: two requests, one for vertices and one for edges. */
    async restore(link: LinkedScene): Promise<void> {
        const answer = await this.work(
            i18n.t.explore.loading,
            async (signal) => {
                const vertices = await requests.verticesOf(this.graph, link.vertices, signal);
                return { vertices, edges: await requests.edgesOf(this.graph, link.edges, signal) };
            },
            () => void this.restore(link),
        );
        if (!answer) return;
        const found = foundOf(answer.vertices, answer.edges, this.strategies);
        const saved = restored(link, { vertices: [...found.vertices], edges: [...found.edges] });
        this.load(saved, i18n.t.explore.link, link.layout);
        this.notice = '';
        if (link.xy.length === 0) this.arrange();
        const missing = link.vertices.length + link.edges.length - found.vertices.length - found.edges.length;
        if (missing > 0) this.notice = i18n.t.explore.missing(i18n.number(missing));
    }

    /** Whether an error says that an index is missing. */
    lacksIndex(error: unknown): boolean {
        return error instanceof ApiError && /NoIndex/.test(error.kind);
    }

    isVertex(key: Key): boolean {
        return isVertexKey(key);
    }
}

/** Before the theme is read. */
const PLAIN: Palette = {
    labels: Array.from({ length: 8 }, () => '#808080'),
    ground: '#ffffff',
    text: '#000000',
    muted: '#808080',
    accent: '#0b6a92',
    edge: '#9aa3ad',
    raised: '#ffffff',
    font: 'sans-serif',
};
