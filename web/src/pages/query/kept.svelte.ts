// Queries kept in this browser: those that were run, and favourites.
import { parse, stringify, type Value } from '../../api/json';
import { store, stored } from '../../app/settings.svelte';
import type { Language } from './run';

export interface Kept {
    language: Language;
    text: string;
}

const HISTORY_MAX = 50;
const TEXT_MAX = 20_000;

function readKept(name: string): Kept[] {
    let value: Value;
    try {
        value = parse(stored(name) ?? '[]');
    } catch {
        return [];
    }
    if (!Array.isArray(value)) return [];
    return value.flatMap((one) => {
        if (typeof one !== 'object' || one === null || Array.isArray(one)) return [];
        const { language, text } = one;
        return (language === 'gremlin' || language === 'cypher') && typeof text === 'string'
            ? [{ language, text }]
            : [];
    });
}

class KeptQueries {
    history = $state.raw(readKept('history'));
    favourites = $state.raw(readKept('favourites'));

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

    keep(query: Kept): void {
        if (this.favourites.some((one) => one.text === query.text && one.language === query.language)) return;
        this.favourites = [...this.favourites, query];
        store('favourites', stringify(this.favourites));
    }

    drop(query: Kept): void {
        this.favourites = this.favourites.filter((one) => one !== query);
        store('favourites', stringify(this.favourites));
    }
}

export const kept = new KeptQueries();
