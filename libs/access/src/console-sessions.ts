import { createHmac } from 'node:crypto';
import { readStoredJson } from '#core/json';
import type { Clock } from '#ports';
import { type Identity, type IdentityRules, principalOf } from './identity.js';
import type { Principal } from './principal.js';
import { TextSeal } from './sealed-text.js';

/** Dependencies of sessions. */
export interface ConsoleSessionsOptions extends IdentityRules {
  /** The client that people sign in to. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** A secret that the processes of the deployment share. */
  readonly sharedSecret: string;
  /** How long a session is good, in milliseconds. */
  readonly lifetimeMs: number;
  readonly clock: Pick<Clock, 'now'>;
  /** 16 characters or more of base64url that were never given before. */
  readonly newSecret: () => string;
}

/** Begins the text of a session; no key and no token begins so. */
export const SESSION_PREFIX = 'bss_';
/**
 * Values of the roles claim that a session keeps: of those that give rights now, and characters of
 * others, which may give some later. A cookie has no room for hundreds.
 */
const ROLES_MAX = 5;
const OTHERS_LENGTH_MAX = 600;
const SESSION_MAX = 4_096;

/** The seal of what a browser keeps for a sign-in; the same in all gateways of a store. */
export function consoleSeal({
  clientSecret,
  sharedSecret,
}: Pick<ConsoleSessionsOptions, 'clientSecret' | 'sharedSecret'>): TextSeal {
  const key = createHmac('sha256', clientSecret).update(`console session ${sharedSecret}`);
  return new TextSeal([key.digest('hex')], 'console sessions');
}

interface Kept extends Identity {
  /** In milliseconds since 1970. */
  readonly until: number;
}

/**
 * Sessions of people who have signed in at an issuer. Nothing of them is stored: the text that the
 * browser keeps has the person in it, sealed by a key that follows from the secret of the client
 * and from one in the store. A reader of the store, or of a copy of it, can make none.
 */
export class ConsoleSessions {
  readonly #seal: TextSeal;
  readonly #owner: string;

  constructor(private readonly options: ConsoleSessionsOptions) {
    const { clientId, issuer } = options;
    this.#seal = consoleSeal(options);
    this.#owner = JSON.stringify(['console session', issuer, clientId]);
  }

  /** Makes a session of a person. Throws `NoRoleGiven` where they have no role here. */
  open(person: Identity): { readonly text: string; readonly principal: Principal } {
    const { clock, lifetimeMs, newSecret } = this.options;
    const until = clock.now() + lifetimeMs;
    const principal = principalOf(person, this.options, until);
    const { name, sub } = person;
    const kept: Kept = { sub, name, roles: this.rolesKept(person), until };
    const sealed = this.#seal.seal(JSON.stringify(kept), this.#owner, newSecret());
    return { text: `${SESSION_PREFIX}${sealed}`, principal };
  }

  /**
   * Returns the owner of a session, with the rights of now; null: it is none, or over. Throws
   * `NoRoleGiven`.
   */
  find(text: string): Principal | null {
    const kept = this.read(text);
    if (kept === null || this.options.clock.now() >= kept.until) return null;
    return principalOf(kept, this.options, kept.until);
  }

  private rolesKept({ roles }: Identity): readonly string[] {
    const counting = this.options.rules.groupsThatCount(roles).slice(0, ROLES_MAX);
    let room = OTHERS_LENGTH_MAX;
    const others = roles.filter((role) => {
      if (counting.includes(role)) return false;
      room -= role.length;
      return room >= 0;
    });
    return [...counting, ...others];
  }

  private read(text: string): Kept | null {
    if (text.length > SESSION_MAX || !text.startsWith(SESSION_PREFIX)) return null;
    try {
      const plain = this.#seal.unseal(text.slice(SESSION_PREFIX.length), this.#owner);
      return readStoredJson(plain, 'a session') as Kept;
    } catch {
      return null;
    }
  }
}
