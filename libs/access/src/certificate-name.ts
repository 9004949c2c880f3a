import { isShownName } from './actor-name.js';

/** One of the names of a certificate. Node puts what is odd in one into double quotes. */
const ENTRY = /(?:^|, )([A-Za-z][A-Za-z ]*):("(?:[^"\\]|\\.)*"|[^,"]*)/gy;

/** The kinds of names that count, the best one first: a SPIFFE id is a URI. */
const KINDS = ['URI', 'DNS', 'email'];

/**
 * The name in a certificate: the first URI of its alternative names, else the first DNS name, else
 * the first e-mail address, else its common name. Null: it has none, several common names, or one
 * that cannot be shown. `alternatives` is the text that Node makes of the alternative names.
 */
export function certificateName(
  alternatives: string,
  commonNames: readonly string[],
): string | null {
  const entries = entriesIn(alternatives);
  if (entries === null) return null;
  const best = KINDS.map((wanted) => entries.find(({ kind }) => kind === wanted)).find(
    (entry) => entry !== undefined,
  );
  const [common, ...others] = commonNames;
  const name = best?.value ?? (others.length > 0 ? undefined : common);
  return name !== undefined && isShownName(name) && !name.startsWith('"') ? name : null;
}

interface Entry {
  readonly kind: string;
  readonly value: string;
}

/** Null: the text is not made of entries, so that nobody can tell where one of them ends. */
function entriesIn(alternatives: string): readonly Entry[] | null {
  const found = [...alternatives.matchAll(ENTRY)];
  const length = found.reduce((sum, [text]) => sum + text.length, 0);
  if (length !== alternatives.length) return null;
  return found.map(([, kind = '', value = '']) => ({ kind, value }));
}
