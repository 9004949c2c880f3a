import { isTakenName } from './actor-name.js';
import type { AccessRules } from './bindings.js';
import type { NameKind } from './client-certificates.js';
import { NoRoleGiven } from './identity.js';
import type { Principal } from './principal.js';

/** The name of a caller, and who or which certificate says that it is theirs. */
interface Vouched {
  readonly by: 'certificate' | 'proxy';
  readonly name: string;
  /** The kind of name in a certificate. */
  readonly kind?: NameKind;
  /** Empty: they are in none that is known here. */
  readonly groups: readonly string[];
}

const WAYS = { certificate: 'mtls', proxy: 'proxy' } as const;

/**
 * Returns the caller whom a certificate or a proxy names, with the rights that rules give. Throws
 * `NoRoleGiven` where they give none, or the name may be taken for a part of Backstep.
 */
export function vouchedFor(
  { by, groups, kind, name }: Vouched,
  rules: Pick<AccessRules, 'rightsOf'>,
): Principal {
  if (isTakenName(name)) {
    throw new NoRoleGiven(`the name ${name} may be taken for a part of Backstep`, by);
  }
  const somebody = { way: WAYS[by], subject: name, groups, ...(kind !== undefined && { kind }) };
  const rights = rules.rightsOf(somebody);
  if (rights === null) throw new NoRoleGiven(`nothing gives ${name} a role here`, by);
  // No issuer of tokens is called so.
  return { ...rights, name, keyId: `${by}#${name}`, somebody };
}
