// What is found when somebody types a part of a name.

/** Something to go to. */
export interface Offer {
    /** What it is, in the language of the pages. */
    readonly kind: string;
    readonly name: string;
    readonly to: string;
}

/** How well a name fits what was typed: 0 not at all, more is better. */
export function fit(name: string, typed: string): number {
    const [text, wanted] = [name.toLowerCase(), typed.toLowerCase()];
    if (wanted === '') return 1;
    const at = text.indexOf(wanted);
    if (at === 0) return text.length === wanted.length ? 5 : 4;
    if (at > 0) return /[\p{L}\p{N}]/u.test(text[at - 1] ?? '') ? 2 : 3;
    // The letters in their order, as in "vl" for "vertex label".
    let from = 0;
    for (const sign of wanted) {
        from = text.indexOf(sign, from) + 1;
        if (from === 0) return 0;
    }
    return 1;
}

/** The best offers for what was typed: each word of it fits the name or what it is. */
export function found(offers: readonly Offer[], typed: string, max: number): Offer[] {
    const words = typed.trim().split(/\s+/);
    const rated = offers.flatMap((offer, at) => {
        let sum = 0;
        for (const word of words) {
            // A part of what it is counts less than a part of its name, and single letters of it not at all.
            const ofKind = fit(offer.kind, word);
            const best = Math.max(2 * fit(offer.name, word), ofKind > 1 ? ofKind : 0);
            if (best === 0) return [];
            sum += best;
        }
        return [{ offer, sum, at }];
    });
    rated.sort((a, b) => b.sum - a.sum || a.at - b.at);
    return rated.slice(0, max).map(({ offer }) => offer);
}
