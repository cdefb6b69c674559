// Requests as text for other programs: what a page did can be done again without it.

export type SnippetKind = 'curl' | 'java' | 'python' | 'rust';
export const snippetKinds: readonly SnippetKind[] = ['curl', 'java', 'python', 'rust'];
export const snippetNames: Record<SnippetKind, string> = { curl: 'curl', java: 'Java', python: 'Python', rust: 'Rust' };

export interface Request {
    method: string;
    /** The whole address. */
    url: string;
    body?: string | undefined;
    /** The user, when one is logged in; a password is never written. */
    user?: string | undefined;
}

/** A text in single quotes for a POSIX shell. */
function shell(text: string): string {
    return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A string literal that Java, Python and Rust read alike, apart from the form of \u escapes. */
function literal(text: string, escape: (code: string) => string): string {
    const inner = text.replace(/["\\\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (sign) => {
        if (sign === '"' || sign === '\\') return `\\${sign}`;
        if (sign === '\n') return '\\n';
        if (sign === '\t') return '\\t';
        if (sign === '\r') return '\\r';
        return escape(sign.charCodeAt(0).toString(16).padStart(4, '0'));
    });
    return `"${inner}"`;
}

const four = (code: string): string => `\\u${code}`;
const braced = (code: string): string => `\\u{${code}}`;

function curl({ method, url, body, user }: Request): string {
    const parts = ['curl --globoff'];
    if (method !== 'GET') parts.push(`-X ${method}`);
    if (user) parts.push(`-u ${shell(user)}`);
    if (body !== undefined) parts.push(`-H 'Content-Type: application/json' --data-raw ${shell(body)}`);
    parts.push(shell(url));
    return parts.join(' ');
}

function python({ method, url, body, user }: Request): string {
    const lines = ['import requests', ''];
    const rest: string[] = [];
    if (body !== undefined) {
        rest.push(`    data=${literal(body, four)}.encode(),`, '    headers={"Content-Type": "application/json"},');
    }
    if (user) rest.push(`    auth=(${literal(user, four)}, "PASSWORD"),`);
    lines.push('answer = requests.request(', `    "${method}",`, `    ${literal(url, four)},`, ...rest, ')');
    lines.push('answer.raise_for_status()', 'print(answer.text)');
    return lines.join('\n');
}

function java({ method, url, body, user }: Request): string {
    const publisher = body === undefined ? 'noBody()' : `ofString(${literal(body, four)})`;
    const lines = [
        'import java.net.URI;',
        'import java.net.http.*;',
        '',
        'public class Request {',
        '    public static void main(String[] args) throws Exception {',
        `        var request = HttpRequest.newBuilder(URI.create(${literal(url, four)}))`,
    ];
    if (body !== undefined) lines.push('            .header("Content-Type", "application/json")');
    if (user) {
        const pair = literal(`${user}:PASSWORD`, four);
        lines.push(
            `            .header("Authorization", "Basic "`,
            `                + java.util.Base64.getEncoder().encodeToString(${pair}.getBytes("UTF-8")))`,
        );
    }
    lines.push(
        `            .method("${method}", HttpRequest.BodyPublishers.${publisher})`,
        '            .build();',
        '        var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());',
        '        System.out.println(answer.body());',
        '    }',
        '}',
    );
    return lines.join('\n');
}

function rust({ method, url, body, user }: Request): string {
    const lines = [
        '// reqwest = { version = "0.12", features = ["blocking"] }',
        'fn main() -> Result<(), reqwest::Error> {',
    ];
    lines.push('    let answer = reqwest::blocking::Client::new()');
    lines.push(`        .request(reqwest::Method::${method}, ${literal(url, braced)})`);
    if (user) lines.push(`        .basic_auth(${literal(user, braced)}, Some("PASSWORD"))`);
    if (body !== undefined) {
        lines.push('        .header("Content-Type", "application/json")', `        .body(${literal(body, braced)})`);
    }
    lines.push(
        '        .send()?',
        '        .error_for_status()?;',
        '    println!("{}", answer.text()?);',
        '    Ok(())',
        '}',
    );
    return lines.join('\n');
}

/** The request for one of the programs. */
export function snippet(kind: SnippetKind, request: Request): string {
    return { curl, java, python, rust }[kind](request);
}
