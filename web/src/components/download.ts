// Saving what a page shows as a file.

/** Lets the browser save a text, or bytes with a type of their own. */
export function download(name: string, type: string, content: string | Blob): void {
    const url = URL.createObjectURL(typeof content === 'string' ? new Blob([content], { type }) : content);
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
