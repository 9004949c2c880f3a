/** What a search text asks for. */
export interface Search {
  /** Members of the query of `GET /v1/tasks`. */
  readonly members: readonly (readonly [string, string])[];
  /** Words that say nothing the server can look for. */
  readonly unknown: readonly string[];
  /** The id of one task, where the text is nothing else. */
  readonly taskId: string | null;
}

const WORD = /(?:[^\s"]|"[^"]*")+/g;
const ID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
const MEMBER = /^(flow|status|label\.[^:]+|createdAfter|createdBefore):(.+)$/;

/** Reads `flow:a status:failed label.team:payments`; a word alone is the name of a flow. */
export function readSearch(text: string): Search {
  const words = text.match(WORD) ?? [];
  const [first] = words;
  if (words.length === 1 && first !== undefined && ID.test(first)) {
    return { members: [], unknown: [], taskId: first.toLowerCase() };
  }
  const members = new Map<string, string>();
  const unknown: string[] = [];
  for (const word of words) {
    const [, name, value = ''] = MEMBER.exec(word) ?? [];
    if (name !== undefined) members.set(name, value.replaceAll('"', ''));
    else if (word.includes(':')) unknown.push(word);
    else members.set('flow', word.replaceAll('"', ''));
  }
  return { members: [...members], unknown, taskId: null };
}

/** The value of a member in a search text; empty where it has none. */
export function valueIn(text: string, name: string): string {
  return readSearch(text).members.find(([known]) => known === name)?.[1] ?? '';
}

/** The text with this member set, or without it where the value is empty. */
export function withMember(text: string, name: string, value: string): string {
  const others = readSearch(text).members.filter(([known]) => known !== name);
  const all = value === '' ? others : [...others, [name, value] as const];
  const written = all.map(([known, one]) => `${known}:${/\s/.test(one) ? `"${one}"` : one}`);
  return [...written, ...readSearch(text).unknown].join(' ');
}
