// Choices of the user that are no secrets: kept in the browser's local storage.
export type Theme = 'system' | 'light' | 'dark' | 'contrast';
export type Density = 'compact' | 'roomy';

export const themes: readonly Theme[] = ['system', 'light', 'dark', 'contrast'];

/** Reads a text from local storage; null where there is none or the browser forbids it. */
export function stored(name: string): string | null {
    try {
        return localStorage.getItem(`rhizome.${name}`);
    } catch {
        return null;
    }
}

/** Keeps a text in local storage; without it the choice lasts until the page is closed. */
export function store(name: string, value: string): void {
    try {
        localStorage.setItem(`rhizome.${name}`, value);
    } catch {
        // Private windows may have none.
    }
}

function oneOf<T extends string>(all: readonly T[], value: string | null, otherwise: T): T {
    return all.find((one) => one === value) ?? otherwise;
}

class Settings {
    #theme = $state<Theme>(oneOf(themes, stored('theme'), 'system'));
    #density = $state<Density>(oneOf(['compact', 'roomy'] as const, stored('density'), 'compact'));
    #systemDark = $state(false);

    /** Whether what is drawn is to be light on dark. */
    isDark = $derived(this.#theme === 'dark' || (this.#theme === 'system' && this.#systemDark));

    get theme(): Theme {
        return this.#theme;
    }

    set theme(theme: Theme) {
        this.#theme = theme;
        store('theme', theme);
        this.apply();
    }

    get density(): Density {
        return this.#density;
    }

    set density(density: Density) {
        this.#density = density;
        store('density', density);
        this.apply();
    }

    start(): void {
        const dark = matchMedia('(prefers-color-scheme: dark)');
        this.#systemDark = dark.matches;
        dark.addEventListener('change', () => {
            this.#systemDark = dark.matches;
            this.apply();
        });
        this.apply();
    }

    private apply(): void {
        const root = document.documentElement;
        root.dataset['theme'] = this.#theme === 'contrast' ? 'contrast' : this.isDark ? 'dark' : 'light';
        root.dataset['density'] = this.#density;
    }
}

export const settings = new Settings();
