// The language of the pages. Messages are typed: one that is missing in a language does not compile.
import { store, stored } from '../app/settings.svelte';
import { en } from './messages.en';
import { zh } from './messages.zh';

export type Messages = typeof en;
export type Language = 'en' | 'zh';

function preferred(): Language {
    const kept = stored('language');
    if (kept === 'en' || kept === 'zh') return kept;
    return typeof navigator !== 'undefined' && /^zh\b/i.test(navigator.language) ? 'zh' : 'en';
}

class I18n {
    #language = $state<Language>(preferred());

    get language(): Language {
        return this.#language;
    }

    set language(language: Language) {
        this.#language = language;
        store('language', language);
        this.apply();
    }

    get t(): Messages {
        return this.#language === 'zh' ? zh : en;
    }

    /** The messages of a page that brings its own, so that others need not load them. */
    pick<T>(english: T, chinese: T): T {
        return this.#language === 'zh' ? chinese : english;
    }

    apply(): void {
        document.documentElement.lang = this.#language === 'zh' ? 'zh-CN' : 'en';
    }

    /** A user as the server names it: its name for who has not logged in is a word. */
    user(name: string): string {
        return name === 'anonymous' ? this.t.common.anonymous : name;
    }

    /** A number with the language's separators. */
    number(value: number | bigint, digits = 3): string {
        return new Intl.NumberFormat(this.#language, { maximumFractionDigits: digits }).format(value);
    }

    /** A moment, to the second. */
    time(at: number | Date): string {
        return new Intl.DateTimeFormat(this.#language, { dateStyle: 'medium', timeStyle: 'medium' }).format(at);
    }

    /** A moment of a day, to the second. */
    clock(at: number): string {
        return new Intl.DateTimeFormat(this.#language, { timeStyle: 'medium', hourCycle: 'h23' }).format(at);
    }

    /** A duration in milliseconds, short. */
    duration(ms: number): string {
        if (ms < 1000) return `${this.number(ms, ms < 10 ? 1 : 0)} ms`;
        if (ms < 60_000) return `${this.number(ms / 1000, 1)} s`;
        return `${this.number(Math.floor(ms / 60_000))} min ${this.number(Math.round((ms % 60_000) / 1000))} s`;
    }

    /** A size in bytes, in units of 1024. */
    bytes(count: number): string {
        const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
        let at = 0;
        let value = count;
        while (value >= 1024 && at < units.length - 1) {
            value /= 1024;
            at += 1;
        }
        return `${this.number(value, at === 0 ? 0 : 1)} ${units[at]}`;
    }
}

export const i18n = new I18n();
