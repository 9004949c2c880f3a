import { isShownName } from './actor-name.js';

/** One of the names of a certificate. Node puts what is odd in one into double quotes. */
const ENTRY = /(?:^|, )([A-Za-z][A-Za-z ]*):("(?:[^"\\]|\\.)*"|[^,"]*)/gy;

/** The kinds of names in certificates, as patterns write them. */
export type NameKind = 'cn' | 'dns' | 'email' | 'uri';

/** A name in a certificate. */
interface CertificateName {
  readonly kind: NameKind;
  readonly name: string;
}

/** The kinds of alternative names that count, the best one first: a SPIFFE id is a URI. */
const KINDS: readonly (readonly [string, NameKind])[] = [
  ['URI', 'uri'],
  ['DNS', 'dns'],
  ['email', 'email'],
];

/** The form of each kind. Common names are free, but none is taken for a SPIFFE id. */
const FORMS: Readonly<Record<NameKind, RegExp>> = {
  uri: /^[^@:]+:/,
  dns: /^[^:@/]+$/,
  email: /^[^:/]+@[^:/]+$/,
  cn: /^(?!.*:\/\/)/,
};

/**
 * The name in a certificate: the first URI of its alternative names, else the first DNS name, else
 * the first e-mail address; where it has no alternative names at all, its common name. Null: it has
 * none, several common names, or one that cannot be shown or has not the form of its kind.
 * `alternatives` is the text that Node makes of the alternative names.
 */
export function certificateName(
  alternatives: string,
  commonNames: readonly string[],
): CertificateName | null {
  const found = alternatives === '' ? commonName(commonNames) : alternativeName(alternatives);
  if (found === null || !isShownName(found.name)) return null;
  return FORMS[found.kind].test(found.name) && !found.name.startsWith('"') ? found : null;
}

function commonName([name, ...others]: readonly string[]): CertificateName | null {
  return name === undefined || others.length > 0 ? null : { kind: 'cn', name };
}

/** Authorities check alternative names, and may leave common names to those who ask for them. */
function alternativeName(alternatives: string): CertificateName | null {
  const entries = entriesIn(alternatives) ?? [];
  for (const [written, kind] of KINDS) {
    const entry = entries.find((one) => one.kind === written);
    if (entry !== undefined) return { kind, name: entry.value };
  }
  return null;
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
