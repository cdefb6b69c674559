// The statements of a Cypher text: a page sends them one after another.
export interface Statement {
    readonly text: string;
    /** Where it begins in the whole text. */
    readonly from: number;
}

/** Splits a text at semicolons that are neither in texts, nor in quoted names, nor in comments. */
export function statementsOf(text: string): Statement[] {
    const found: Statement[] = [];
    let start = 0;
    const end = (at: number): void => {
        const piece = text.slice(start, at);
        const from = start + (piece.length - piece.trimStart().length);
        // What holds only comments is no statement.
        if (piece.replace(/\/\*[^]*?\*\/|\/\/.*$/gm, '').trim() !== '') found.push({ text: piece.trim(), from });
        start = at + 1;
    };
    let at = 0;
    while (at < text.length) {
        const sign = text[at]!;
        const two = text.slice(at, at + 2);
        if (two === '//' || two === '/*') {
            const close = text.indexOf(two === '//' ? '\n' : '*/', at + 2);
            at = close < 0 ? text.length : close + (two === '//' ? 1 : 2);
        } else if (sign === '"' || sign === "'" || sign === '`') {
            at += 1;
            while (at < text.length && text[at] !== sign) at += text[at] === '\\' && sign !== '`' ? 2 : 1;
            at += 1;
        } else {
            if (sign === ';') end(at);
            at += 1;
        }
    }
    end(text.length);
    return found;
}
