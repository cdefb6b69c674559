// Sends queries and gives their results one form: columns and rows.
import { sendText } from '../../api/client';
import { ApiError } from '../../api/errors';
import { idFromText } from '../../api/graph';
import { parse, stringify, type Value } from '../../api/json';
import { singleTraversal } from './gremlin';

export type Language = 'gremlin' | 'cypher';
export type Mode = 'run' | 'explain' | 'profile';

/** An operator of a plan. */
export interface PlanNode {
    name: string;
    details: string;
    rows: number | null;
    hits: number | null;
    /** Milliseconds, where the language measures them. */
    ms: number | null;
    /** Part of the whole time, in percent. */
    share: number | null;
    children: PlanNode[];
}

export interface Result {
    columns: string[];
    rows: Value[][];
    raw: string;
    ms: number;
    plan: PlanNode | null;
    /** A plan that is a text. */
    planText: string | null;
    /** What a writing query counted: "nodes-created" and the like. */
    counters: Record<string, Value>;
    /** What can be drawn of it. */
    elements: Elements;
}

type Objekt = { [name: string]: Value };
const isObject = (value: Value | undefined): value is Objekt =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: Value | undefined): Value[] => (Array.isArray(value) ? value : []);
const text = (value: Value | undefined): string => (typeof value === 'string' ? value : '');
const number = (value: Value | undefined): number | null =>
    typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : null;

/** Vertices and edges of a result that can be drawn; of more the first. */
export const DRAWN_MAX = 500;

/** What of a result can be drawn: ids, each once. */
export interface Elements {
    vertices: Value[];
    edges: string[];
    /** There are more than these. */
    isPart: boolean;
}

/** The vertices and edges in a value, at any depth, with the ends of the edges. */
export function elementsIn(value: Value): Elements {
    const found: Elements = { vertices: [], edges: [], isPart: false };
    const seen = new Set<string>();
    const isNew = (key: string): boolean => {
        if (seen.has(key)) return false;
        if (found.vertices.length >= DRAWN_MAX || found.edges.length >= DRAWN_MAX) {
            found.isPart = true;
            return false;
        }
        seen.add(key);
        return true;
    };
    const vertex = (given: Value | undefined, isText = false): void => {
        if (given === undefined || given === null) return;
        // Cypher gives ids as texts, numbers too; ids from a primary key have a colon.
        const id = isText && typeof given === 'string' && /^-?\d+$/.test(given) ? idFromText(given) : given;
        if (isNew(`${typeof id}:${String(id)}`)) found.vertices.push(id);
    };
    const edge = (id: Value | undefined): void => {
        if (typeof id === 'string' && isNew(`edge:${id}`)) found.edges.push(id);
    };
    const look = (value: Value): void => {
        if (found.isPart) return;
        if (Array.isArray(value)) for (const one of value) look(one);
        else if (isObject(value)) {
            if (value['type'] === 'vertex' && 'id' in value) vertex(value['id']);
            else if ('elementId' in value && 'labels' in value) vertex(value['elementId'], true);
            else if ('startNodeElementId' in value) {
                vertex(value['startNodeElementId'], true);
                vertex(value['endNodeElementId'], true);
                edge(value['elementId']);
            } else if (value['type'] === 'edge' && 'outV' in value) {
                vertex(value['outV']);
                vertex(value['inV']);
                edge(value['id']);
            } else for (const one of Object.values(value)) look(one);
        }
    };
    look(value);
    return found;
}

/** A vertex or an edge of Cypher as a short text; everything else as it is. */
export function elementText(value: Value | undefined): Value | undefined {
    if (Array.isArray(value)) {
        const texts = value.map(elementText);
        return texts.some((one, at) => one !== value[at]) ? texts.map((one) => one ?? null) : value;
    }
    if (!isObject(value) || !('elementId' in value) || !isObject(value['properties'])) return value;
    const properties = stringify(value['properties']);
    if ('startNodeElementId' in value) {
        const ends = `${text(value['startNodeElementId'])} → ${text(value['endNodeElementId'])}`;
        return `:${text(value['type'])} ${ends} ${properties}`;
    }
    return `:${list(value['labels']).join(':')} ${text(value['elementId'])} ${properties}`;
}

/** Rows of a Gremlin result: maps with the same keys become columns, everything else is one column. */
export function tableOf(data: Value[], valueTitle: string): { columns: string[]; rows: Value[][] } {
    const isElement = (value: Objekt): boolean => value['type'] === 'vertex' || value['type'] === 'edge';
    if (data.length > 0 && data.every((one) => isObject(one) && !('objects' in one))) {
        const objects = data as Objekt[];
        const flat = objects.map((one) => {
            if (!isElement(one)) return one;
            const { properties, type: _type, ...rest } = one;
            return { ...rest, ...(isObject(properties) ? properties : {}) };
        });
        const columns = [...new Set(flat.flatMap((one) => Object.keys(one)))].slice(0, 60);
        return { columns, rows: flat.map((one) => columns.map((name) => one[name] ?? null)) };
    }
    return { columns: [valueTitle], rows: data.map((one) => [one]) };
}

function cypherPlan(value: Value | undefined): PlanNode | null {
    if (!isObject(value)) return null;
    const details = isObject(value['arguments']) ? text(value['arguments']['Details']) : '';
    return {
        name: text(value['operatorType']),
        details,
        rows: number(value['records']),
        hits: number(value['dbHits']),
        ms: null,
        share: null,
        children: list(value['children']).flatMap((child) => cypherPlan(child) ?? []),
    };
}

function gremlinPlan(value: Value | undefined): PlanNode | null {
    if (!isObject(value)) return null;
    const node = (metric: Value): PlanNode | [] => {
        if (!isObject(metric)) return [];
        const counts = isObject(metric['counts']) ? metric['counts'] : {};
        const notes = isObject(metric['annotations']) ? metric['annotations'] : {};
        return {
            name: text(metric['name']),
            details: '',
            rows: number(counts['elementCount']),
            hits: null,
            ms: number(metric['dur']),
            share: number(notes['percentDur']),
            children: list(metric['metrics']).flatMap(node),
        };
    };
    const children = list(value['metrics']).flatMap(node);
    return children.length === 0
        ? null
        : { name: 'g', details: '', rows: null, hits: null, ms: number(value['dur']), share: 100, children };
}

async function cypher(graph: string, query: string, mode: Mode, signal: AbortSignal): Promise<Result> {
    const path = `/db/${encodeURIComponent(graph)}/query/v2`;
    const prefix = mode === 'run' ? '' : `${mode.toUpperCase()} `;
    const statement = prefix + query;
    const { text: raw, ms } = await sendText('POST', path, { body: { statement, includeCounters: true }, signal });
    const answer = parse(raw);
    const body = isObject(answer) ? answer : {};
    const [failed] = list(body['errors']);
    if (isObject(failed)) throw new ApiError(text(failed['message']), 400, text(failed['code']), 'POST', path);
    const data = isObject(body['data']) ? body['data'] : {};
    const values = list(data['values']);
    return {
        columns: list(data['fields']).map((field) => String(field)),
        rows: values.map(list),
        raw,
        ms,
        plan: cypherPlan(body['profiledQueryPlan'] ?? body['queryPlan']),
        planText: null,
        counters: isObject(body['counters']) ? body['counters'] : {},
        elements: elementsIn(values),
    };
}

async function gremlin(
    graph: string,
    script: string,
    mode: Mode,
    signal: AbortSignal,
    valueTitle: string,
    notOne: string,
): Promise<Result> {
    let text_ = script;
    if (mode !== 'run') {
        const single = singleTraversal(script);
        if (single === null) throw new Error(notOne);
        text_ = `${single}.${mode}()`;
    }
    const aliases = { graph, g: `__g_${graph}` };
    const body = { gremlin: text_, bindings: {}, language: 'gremlin-groovy', aliases };
    const { text: raw, ms } = await sendText('POST', '/gremlin', { body, signal });
    const answer = parse(raw);
    const result = isObject(answer) && isObject(answer['result']) ? answer['result'] : {};
    const data = list(result['data']);
    const [first] = data;
    return {
        ...(mode === 'run' ? tableOf(data, valueTitle) : { columns: [], rows: [] }),
        raw,
        ms,
        plan:
            mode === 'profile'
                ? gremlinPlan(first)
                : mode === 'explain' && typeof first === 'string'
                  ? planOfText(first)
                  : null,
        planText: mode === 'explain' && typeof first === 'string' ? first : null,
        counters: {},
        elements: elementsIn(mode === 'run' ? data : []),
    };
}

const PLAN_LINE = /^( +)([^:]+): (.*)$/;

/** The tree of a plan that is written as a text: a line for each operator, those within it further to the right. */
export function planOfText(text: string): PlanNode | null {
    const [title = '', ...lines] = text.trimEnd().split('\n');
    const root: PlanNode = { ...leaf('g', title.replace(/^Final Plan /, '')) };
    const open: { node: PlanNode; indent: number }[] = [{ node: root, indent: 0 }];
    for (const line of lines) {
        const found = PLAN_LINE.exec(line);
        if (!found) {
            // A value with line breaks goes on.
            const last = open.at(-1)?.node;
            if (last && last !== root) last.details += `\n${line}`;
            continue;
        }
        const indent = found[1]?.length ?? 0;
        while (open.length > 1 && (open.at(-1)?.indent ?? 0) >= indent) open.pop();
        const node = leaf(found[2] ?? '', found[3] ?? '');
        open.at(-1)?.node.children.push(node);
        open.push({ node, indent });
    }
    return root.children.length > 0 ? root : null;
}

function leaf(name: string, details: string): PlanNode {
    return { name, details, rows: null, hits: null, ms: null, share: null, children: [] };
}

/** Asks the server's parser what is wrong with a Gremlin text; nothing of it is run. */
export async function checkGremlin(script: string, signal: AbortSignal): Promise<Fault[]> {
    if (script.trim() === '') return [];
    interface Told {
        message: string;
        from: number | null;
        to: number | null;
    }
    const { text: raw } = await sendText('POST', '/rhizome/gremlin/check', {
        body: { gremlin: script },
        signal,
        quiet: true,
    });
    const { errors } = parse(raw) as unknown as { errors: Told[] };
    return errors.flatMap(({ message, from, to }) => (from === null ? [] : [{ message, from, to: to ?? from + 1 }]));
}

/** What is wrong with a text, and where: characters from its beginning. */
export interface Fault {
    message: string;
    from: number;
    to: number;
}

export interface Ask {
    language: Language;
    graph: string;
    text: string;
    mode: Mode;
    valueTitle: string;
    notOne: string;
}

/** Sends a query. Ending the signal ends the query in the server too. */
export function run(ask: Ask, signal: AbortSignal): Promise<Result> {
    return ask.language === 'cypher'
        ? cypher(ask.graph, ask.text, ask.mode, signal)
        : gremlin(ask.graph, ask.text, ask.mode, signal, ask.valueTitle, ask.notOne);
}

/** Where a message says that something is wrong: "line 1, column 5", counted from 1. */
export function placeIn(message: string): { line: number; column: number } | null {
    const found = /line (\d+), column (\d+)/.exec(message);
    return found ? { line: Number(found[1]), column: Number(found[2]) } : null;
}

/** Asks for the plan of a Cypher query, which runs nothing, and gives the message of what is wrong with it. */
export async function checkCypher(graph: string, statement: string, signal: AbortSignal): Promise<string | null> {
    if (statement.trim() === '' || /^\s*(explain|profile)\b/i.test(statement)) return null;
    const path = `/db/${encodeURIComponent(graph)}/query/v2`;
    try {
        const { text: raw } = await sendText('POST', path, {
            body: { statement: `EXPLAIN ${statement}` },
            signal,
            quiet: true,
        });
        parse(raw);
        return null;
    } catch (error) {
        return error instanceof ApiError && error.status === 400 ? error.message : null;
    }
}
