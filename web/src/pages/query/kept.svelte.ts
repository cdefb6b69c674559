// Queries kept in this browser: those that were run, and favourites.
import { parse, stringify, type Value } from '../../api/json';
import { store, stored } from '../../app/settings.svelte';
import type { Language } from './run';

export interface Kept {
    language: Language;
    text: string;
}

/** A query with a name and a folder; either may be empty. */
export interface Favourite extends Kept {
    readonly name: string;
    readonly folder: string;
}

const HISTORY_MAX = 50;
const TEXT_MAX = 20_000;
/** Longest name of a favourite or of a folder. */
export const NAME_MAX = 100;

function readKept(name: string): Value {
    try {
        return parse(stored(name) ?? '[]');
    } catch {
        return [];
    }
}

/** The queries of a list that was kept; null where it is none. */
export function queriesIn(value: Value): Kept[] | null {
    if (!Array.isArray(value)) return null;
    return value.flatMap((one) => {
        if (typeof one !== 'object' || one === null || Array.isArray(one)) return [];
        const { language, text } = one;
        return (language === 'gremlin' || language === 'cypher') && typeof text === 'string'
            ? [{ language, text }]
            : [];
    });
}

/** The favourites of a list that was kept, of which the first had neither name nor folder; null where it is none. */
export function favouritesIn(value: Value): Favourite[] | null {
    if (!Array.isArray(value)) return null;
    return value.flatMap((one) => {
        const [query] = queriesIn([one]) ?? [];
        if (query === undefined || typeof one !== 'object' || one === null || Array.isArray(one)) return [];
        return [{ ...query, name: nameOf(one['name']), folder: nameOf(one['folder']) }];
    });
}

const nameOf = (value: Value | undefined): string => (typeof value === 'string' ? value.trim().slice(0, NAME_MAX) : '');

export interface Folder {
    readonly name: string;
    readonly favourites: readonly Favourite[];
}

/** Favourites by folder, in the order of names; those without one come first. */
export function foldersOf(favourites: readonly Favourite[]): Folder[] {
    const names = [...new Set(favourites.map(({ folder }) => folder))].sort((a, b) => a.localeCompare(b));
    return names.map((name) => ({ name, favourites: favourites.filter(({ folder }) => folder === name) }));
}

class KeptQueries {
    history = $state.raw(queriesIn(readKept('history')) ?? []);
    favourites = $state.raw(favouritesIn(readKept('favourites')) ?? []);

    ran(query: Kept): void {
        if (query.text.length > TEXT_MAX) return;
        const others = this.history.filter((one) => one.text !== query.text || one.language !== query.language);
        this.history = [query, ...others].slice(0, HISTORY_MAX);
        store('history', stringify(this.history));
    }

    clear(): void {
        this.history = [];
        store('history', '[]');
    }

    keep({ language, text }: Kept, name = '', folder = ''): void {
        if (text.length > TEXT_MAX) return;
        if (this.favourites.some((one) => one.text === text && one.language === language)) return;
        this.#set([...this.favourites, { language, text, name, folder }]);
    }

    /** Names a favourite and puts it into a folder. */
    change(favourite: Favourite, name: string, folder: string): void {
        const changed = { ...favourite, name: nameOf(name), folder: nameOf(folder) };
        this.#set(this.favourites.map((one) => (one === favourite ? changed : one)));
    }

    #set(favourites: Favourite[]): void {
        this.favourites = favourites;
        store('favourites', stringify(favourites));
    }

    /** The favourites as the text of a file. */
    toFile(): string {
        return stringify({ rhizome: 'favourites', version: 1, queries: this.favourites }, 2);
    }

    /** Adds the favourites of a file to those that are there; false where it is no such file. */
    async fromFile(file: File): Promise<boolean> {
        try {
            const value = parse(await file.text());
            if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
            if (value['rhizome'] !== 'favourites' || value['version'] !== 1) return false;
            const favourites = favouritesIn(value['queries'] ?? null);
            if (favourites === null) return false;
            for (const one of favourites) this.keep(one, one.name, one.folder);
            return true;
        } catch {
            return false;
        }
    }

    drop(favourite: Favourite): void {
        this.#set(this.favourites.filter((one) => one !== favourite));
    }
}

export const kept = new KeptQueries();
