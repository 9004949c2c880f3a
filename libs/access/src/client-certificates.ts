import type { Clock } from '#ports';
import { isShownName } from './actor-name.js';
import type { AccessRules } from './bindings.js';
import { NoRoleGiven } from './identity.js';
import type { Principal } from './principal.js';
import { vouchedFor } from './vouched-for.js';

/** A certificate that a client has shown, as its connection tells of it. */
export interface ShownCertificate {
  /** Its subject alternative names, as Node writes them: `URI:spiffe://a/b, DNS:c`; empty: none. */
  readonly alternatives: string;
  /** The common names of its subject. */
  readonly commonNames: readonly string[];
  /** Its end, in milliseconds since 1970. */
  readonly goodUntil: number;
  /** OpenSSL's code for why it is not taken; null: an authority that is known has signed it. */
  readonly fault: string | null;
  /** Whether the authorities that it was checked with are still those that count. */
  readonly isCurrent: boolean;
}

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

interface Entry {
  readonly kind: string;
  readonly value: string;
}

/** A certificate says nothing about whose a request is; the message is a clause about it. */
export class CertificateRefused extends Error {
  override readonly name = 'CertificateRefused';
}

const EXPIRED = 'it has expired';

const FAULTS: ReadonlyMap<string, string> = new Map([
  ['CERT_HAS_EXPIRED', EXPIRED],
  ['CERT_NOT_YET_VALID', 'it is not valid yet'],
  ['INVALID_PURPOSE', 'it is not one for clients'],
]);

const OTHER_FAULT = 'no authority that is known here has signed it';

/** Tells of client certificates whose they are. */
export class ClientCertificates {
  constructor(
    private readonly options: {
      readonly rules: Pick<AccessRules, 'rightsOf'>;
      readonly clock: Pick<Clock, 'now'>;
    },
  ) {}

  /**
   * Returns the owner of a certificate. Throws `CertificateRefused` where it is not taken, and
   * `NoRoleGiven` where its owner has no role here, or no name that may stand in a journal.
   */
  find(shown: ShownCertificate): Principal {
    const { alternatives, commonNames, fault, goodUntil, isCurrent } = shown;
    if (fault !== null) throw new CertificateRefused(FAULTS.get(fault) ?? OTHER_FAULT);
    // A connection may outlive what was true of it when it began.
    if (!isCurrent) throw new CertificateRefused('the authorities have changed: connect again');
    // An end that cannot be read is no reason to take it.
    if (!(this.options.clock.now() < goodUntil)) throw new CertificateRefused(EXPIRED);
    const found = certificateName(alternatives, commonNames);
    if (found === null) throw new NoRoleGiven('it has no name that can be shown', 'certificate');
    const vouched = { by: 'certificate', ...found, groups: [] } as const;
    return { ...vouchedFor(vouched, this.options.rules), goodUntil, shown };
  }
}

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

/** Null: the text is not made of entries, so that nobody can tell where one of them ends. */
function entriesIn(alternatives: string): readonly Entry[] | null {
  const found = [...alternatives.matchAll(ENTRY)];
  const length = found.reduce((sum, [text]) => sum + text.length, 0);
  if (length !== alternatives.length) return null;
  return found.map(([, kind = '', value = '']) => ({ kind, value }));
}
