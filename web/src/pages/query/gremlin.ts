// How much of Gremlin's text a page has to understand: whether it is one statement.

/**
 * The text of the one traversal that a script consists of, without a semicolon after it; null where there are several
 * statements, or where the last step would run it.
 */
export function singleTraversal(script: string): string | null {
    let code = '';
    let depth = 0;
    let at = 0;
    while (at < script.length) {
        const sign = script[at] ?? '';
        const two = script.slice(at, at + 2);
        if (two === '//') {
            const end = script.indexOf('\n', at);
            at = end < 0 ? script.length : end;
            continue;
        }
        if (two === '/*') {
            const end = script.indexOf('*/', at + 2);
            at = end < 0 ? script.length : end + 2;
            continue;
        }
        if (sign === '"' || sign === "'") {
            let end = at + 1;
            while (end < script.length && script[end] !== sign) end += script[end] === '\\' ? 2 : 1;
            code += script.slice(at, end + 1);
            at = end + 1;
            continue;
        }
        if ('([{'.includes(sign)) depth += 1;
        if (')]}'.includes(sign)) depth -= 1;
        if (sign === ';' && script.slice(at + 1).trim() !== '') return null;
        if (sign === ';') break;
        if (sign === '\n' && depth === 0) {
            const rest = script.slice(at).trimStart();
            // A statement goes on in the next line only with a dot at its beginning or at the end of this one.
            if (rest !== '' && !rest.startsWith('.') && !code.trimEnd().endsWith('.') && code.trim() !== '') {
                if (!/^(\/\/|\/\*|;)/.test(rest)) return null;
            }
        }
        code += sign;
        at += 1;
    }
    const text = code.trim();
    if (depth !== 0 || text === '' || !/^g\s*\./.test(text)) return null;
    return /\.\s*(iterate|next|toList|toSet|toBulkSet|hasNext|tryNext|explain|profile)\s*\([^()]*\)$/.test(text)
        ? null
        : text;
}
