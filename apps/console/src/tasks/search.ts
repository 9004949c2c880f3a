/** A search text, parsed. */
export interface Search {
  /** Members of the query of `GET /v1/tasks`. */
  readonly members: readonly (readonly [string, string])[];
  /** The id of one task, where the text is nothing else. */
  readonly taskId: string | null;
}

const WORD = /(?:[^\s"]|"(?:[^"\\]|\\.)*"?)+/g;
const ID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
/** Members of the query that are none of the server's grammar. */
const ASIDE = /^(parent(?!:none$)|createdAfter|createdBefore):(.+)$/;
const LABEL = /^label\.([^:"]+):(.+)$/;

/** Reads `flow:a status:failed label.team:payments "no host"`: the server's grammar, and dates. */
export function readSearch(text: string): Search {
  const words = wordsOf(text);
  const [first] = words;
  if (words.length === 1 && first !== undefined && ID.test(first)) {
    return { members: [], taskId: first.toLowerCase() };
  }
  const asides = words.flatMap((word): [string, string][] => {
    const [, name, value] = ASIDE.exec(word) ?? [];
    return name === undefined || value === undefined ? [] : [[name, bare(value)]];
  });
  const asked = words.filter((word) => !ASIDE.test(word)).join(' ');
  return { members: [...(asked === '' ? [] : [['q', asked] as const]), ...asides], taskId: null };
}

/** The value of a member in a search text; empty where it has none. */
export function valueIn(text: string, name: string): string {
  const word = wordsOf(text).find((one) => one.startsWith(`${name}:`));
  return word === undefined ? '' : bare(word.slice(name.length + 1));
}

/** The first label in a search text. */
export function labelIn(text: string): readonly [name: string, value: string] | null {
  for (const word of wordsOf(text)) {
    const [, name, value] = LABEL.exec(word) ?? [];
    if (name !== undefined && value !== undefined) return [name, bare(value)];
  }
  return null;
}

/** The text with this member set, or without it where the value is empty. */
export function withMember(text: string, name: string, value: string): string {
  const others = wordsOf(text).filter((word) => !word.startsWith(`${name}:`));
  const written = /[\s"\\]/.test(value) ? JSON.stringify(value) : value;
  return [...others, ...(value === '' ? [] : [`${name}:${written}`])].join(' ');
}

function wordsOf(text: string): readonly string[] {
  return text.match(WORD) ?? [];
}

/** A value without its quotation marks. */
function bare(value: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/.exec(value) ?? [];
  return quoted === undefined ? value : quoted.replaceAll(/\\(["\\])/g, '$1');
}
