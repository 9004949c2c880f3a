import type { Clock } from '#ports';
import type { AccessRules } from './bindings.js';
import { certificateName } from './certificate-name.js';
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
