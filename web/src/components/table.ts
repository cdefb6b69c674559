/** A column of a table. */
export interface Column {
    key: string;
    title: string;
    /** Beside the title, less loud: a type. */
    note?: string;
    numeric?: boolean;
}
