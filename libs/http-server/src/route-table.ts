/** One route as the router knows it. */
interface Route {
  readonly method: string;
  /** In the router's own writing: `/v1/tasks/:taskId([^:]+)::rollback`. */
  readonly url: string;
}

interface Entry {
  readonly methods: Set<string>;
  readonly matches: RegExp;
}

/** Knows which methods an address takes: the router only knows whether it takes a given one. */
export class RouteTable {
  private readonly entries = new Map<string, Entry>();

  add({ method, url }: Route): void {
    const entry = this.entries.get(url) ?? { methods: new Set(), matches: patternOf(url) };
    this.entries.set(url, entry);
    entry.methods.add(method);
  }

  /** All routes, in the writing of OpenAPI: `POST /v1/tasks/{taskId}:rollback`. */
  list(): readonly string[] {
    return [...this.entries].flatMap(([url, { methods }]) =>
      [...methods].map((method) => `${method} ${readablePath(url)}`),
    );
  }

  /** The methods that the address takes, in order of the alphabet. */
  methodsOf(path: string): readonly string[] {
    const decoded = decodePath(path);
    const found = [...this.entries.values()].filter(({ matches }) => matches.test(decoded));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
  }

  /** Where the word that ends a path, such as `:complete`, is a word of a route. */
  namesakesOf(path: string): readonly string[] {
    const word = /[:/]([a-z-]+)$/.exec(decodePath(path))?.[1];
    return word === undefined ? [] : this.list().filter((route) => route.endsWith(`:${word}`));
  }
}

const PARAMETER = /(?<!:):(?!:)(\w+)(\([^)]*\))?/g;

/** A route's address as OpenAPI writes it. */
export function readablePath(url: string): string {
  return url.replaceAll(PARAMETER, '{$1}').replaceAll('::', ':');
}

function patternOf(url: string): RegExp {
  const escaped = readablePath(url).replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
  const parts = escaped.replaceAll(/\{\w+\}/g, '[^/:]+').replaceAll(String.raw`\*`, '.*');
  return new RegExp(`^${parts}$`);
}

/** As the router does: `%2F` belongs to a part of the path, and ends none. */
function decodePath(path: string): string {
  try {
    return path.split(/%2f/i).map(decodeURIComponent).join('%2F');
  } catch {
    return path;
  }
}
