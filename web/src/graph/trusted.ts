// Addresses of workers. The content security policy asks for Trusted Types: this policy is the only one that makes
// script addresses, and it takes only files of the explorer itself.
interface Policy {
    createScriptURL(url: string): unknown;
}

interface Factory {
    createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy;
}

let policy: Policy | null | undefined;

function check(url: string): string {
    const full = new URL(url, location.href);
    const own = full.origin === location.origin && full.pathname.startsWith(import.meta.env.BASE_URL);
    if (!own) throw new TypeError(`Not a worker of the explorer: ${url}`);
    return full.href;
}

/** The address for `new Worker`. */
export function trustedWorker(url: string): URL {
    if (policy === undefined) {
        const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
        policy = factory ? factory.createPolicy('rhizome-worker', { createScriptURL: check }) : null;
    }
    return (policy ? policy.createScriptURL(url) : check(url)) as URL;
}
