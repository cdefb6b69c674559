// Rows of a file, read piece by piece: CSV, or a JSON object in each line. A file takes the memory of one piece.
import { parse, stringify, type Value } from '../../api/json';

export type Format = 'csv' | 'json';

export interface FileForm {
    format: Format;
    /** One character, for CSV. */
    delimiter: string;
    /** Whether the first row has the names of the columns. */
    hasHeader: boolean;
    encoding: string;
}

/** A row as it is in the file. */
export interface Row {
    /** The line in which it begins, from 1. */
    line: number;
    /** Values by column: texts of CSV, values of JSON. */
    values: Record<string, Value>;
}

/** A row that is none. */
export interface Broken {
    line: number;
    text: string;
    reason: 'json' | 'object' | 'fields';
}

/** Longest row in characters: beyond it a quotation mark is missing, and the rest of the file would be one field. */
export const ROW_MAX = 4 << 20;

/** A row that is longer than a row can be. */
export class RowTooLong extends Error {
    constructor(readonly line: number) {
        super(`line ${line}`);
    }
}

/** Splits CSV as RFC 4180 has it; line breaks may be any, and may be within quotation marks. */
export class CsvSplitter {
    #field = '';
    #fields: string[] = [];
    #isQuoted = false;
    /** A quotation mark within a quoted field: the end of it, or half of one that is meant. */
    #wasQuote = false;
    #wasReturn = false;
    #line = 1;
    #began = 1;
    #size = 0;

    constructor(readonly delimiter: string) {}

    /** Takes a piece of the text, and gives the rows that end in it. */
    push(text: string): { line: number; fields: string[] }[] {
        const rows: { line: number; fields: string[] }[] = [];
        let at = 0;
        while (at < text.length) {
            const sign = text[at]!;
            if (this.#isQuoted && !this.#wasQuote) {
                // What lies before the next quotation mark belongs to the field.
                let end = text.indexOf('"', at);
                if (end < 0) end = text.length;
                for (let i = text.indexOf('\n', at); i >= 0 && i < end; i = text.indexOf('\n', i + 1)) this.#line += 1;
                this.#add(text.slice(at, end));
                this.#wasQuote = end < text.length;
                at = end + 1;
                continue;
            }
            if (this.#wasQuote) {
                this.#wasQuote = false;
                if (sign === '"') {
                    this.#add('"');
                    at += 1;
                    continue;
                }
                this.#isQuoted = false;
            }
            if (sign === '\n' && this.#wasReturn) this.#began = this.#line;
            else if (sign === '\n' || sign === '\r') {
                this.#line += 1;
                this.#end(rows);
            } else if (sign === this.delimiter) {
                this.#fields.push(this.#field);
                this.#field = '';
            } else if (sign === '"' && this.#field === '') this.#isQuoted = true;
            else {
                let end = at + 1;
                while (end < text.length && !this.#isSpecial(text[end]!)) end += 1;
                this.#add(text.slice(at, end));
                at = end;
                this.#wasReturn = false;
                continue;
            }
            this.#wasReturn = sign === '\r';
            at += 1;
        }
        return rows;
    }

    /** The row that has no line break at its end. */
    finish(): { line: number; fields: string[] }[] {
        const rows: { line: number; fields: string[] }[] = [];
        this.#wasQuote = false;
        this.#isQuoted = false;
        this.#end(rows);
        return rows;
    }

    #isSpecial(sign: string): boolean {
        return sign === this.delimiter || sign === '\n' || sign === '\r';
    }

    #add(text: string): void {
        this.#size += text.length;
        if (this.#size > ROW_MAX) throw new RowTooLong(this.#began);
        this.#field += text;
    }

    #end(rows: { line: number; fields: string[] }[]): void {
        const isEmpty = this.#fields.length === 0 && this.#field === '';
        if (!isEmpty) rows.push({ line: this.#began, fields: [...this.#fields, this.#field] });
        this.#fields = [];
        this.#field = '';
        this.#size = 0;
        this.#began = this.#line;
    }
}

/** The names of columns that have none, or the same as another. */
export function columnNames(fields: readonly string[], hasHeader: boolean): string[] {
    const names: string[] = [];
    for (const [at, field] of fields.entries()) {
        const given = hasHeader ? field.trim() : '';
        const base = given === '' ? String(at + 1) : given;
        let name = base;
        for (let n = 2; names.includes(name); n += 1) name = `${base} (${n})`;
        names.push(name);
    }
    return names;
}

/** What a piece of a file has. */
export interface Piece {
    rows: Row[];
    broken: Broken[];
    /** Bytes of the file up to its end. */
    bytes: number;
}

/** Reads a file from its beginning. `columns` is filled with the names of the columns of CSV. */
export async function* pieces(file: Blob, form: FileForm, columns: string[] = []): AsyncGenerator<Piece> {
    const reader = file.stream().getReader();
    const decoder = new TextDecoder(form.encoding);
    const splitter = new CsvSplitter(form.delimiter);
    let bytes = 0;
    let rest = '';
    let line = 1;
    const read = (text: string, isEnd: boolean): Piece => {
        const piece: Piece = { rows: [], broken: [], bytes };
        if (form.format === 'csv') {
            for (const row of [...splitter.push(text), ...(isEnd ? splitter.finish() : [])]) {
                if (columns.length === 0) {
                    columns.push(...columnNames(row.fields, form.hasHeader));
                    if (form.hasHeader) continue;
                }
                if (row.fields.length !== columns.length) {
                    piece.broken.push({ line: row.line, text: csvLine(row.fields), reason: 'fields' });
                } else {
                    const values = Object.fromEntries(columns.map((name, i) => [name, row.fields[i]!]));
                    piece.rows.push({ line: row.line, values });
                }
            }
            return piece;
        }
        const lines = (rest + text).split('\n');
        rest = isEnd ? '' : (lines.pop() ?? '');
        if (rest.length > ROW_MAX) throw new RowTooLong(line + lines.length);
        for (const one of lines) {
            if (one.trim() !== '') jsonRow(one.trim(), line, piece);
            line += 1;
        }
        return piece;
    };
    try {
        for (;;) {
            const { done, value } = await reader.read();
            if (value) bytes += value.length;
            yield read(value ? decoder.decode(value, { stream: true }) : decoder.decode(), done);
            if (done) return;
        }
    } finally {
        await reader.cancel().catch(() => undefined);
    }
}

function jsonRow(text: string, line: number, piece: Piece): void {
    try {
        const value = parse(text);
        if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
            piece.rows.push({ line, values: value });
        } else piece.broken.push({ line, text, reason: 'object' });
    } catch {
        piece.broken.push({ line, text, reason: 'json' });
    }
}

/** Fields as a line of CSV that reads back as they are. */
export function csvLine(fields: readonly Value[]): string {
    return fields
        .map((field) => (typeof field === 'string' ? field : field === null ? '' : stringify(field)))
        .map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
        .join(',');
}

/** What a file seems to be, by its name and its beginning. */
export function guessForm(name: string, beginning: string): FileForm {
    const format: Format = /\.(json|jsonl|ndjson)$/i.test(name) || /^\s*\{/.test(beginning) ? 'json' : 'csv';
    const first = beginning.split(/\r?\n/, 1)[0] ?? '';
    const counted = [',', '\t', ';', '|'].map((sign) => ({ sign, count: first.split(sign).length - 1 }));
    counted.sort((a, b) => b.count - a.count);
    const best = counted[0];
    return { format, delimiter: best && best.count > 0 ? best.sign : ',', hasHeader: true, encoding: 'utf-8' };
}
