import type { Clock } from '#ports';
import { type ConsoleSessions, SESSION_PREFIX } from './console-sessions.js';
import type { IdentityTokens } from './identity-tokens.js';
import type { KeyRing } from './key-ring.js';
import type { Principal } from './principal.js';

/** The checks of credentials that callers may show; null: that kind is not taken here. */
interface CallersOptions {
  readonly keys: Pick<KeyRing, 'find' | 'forget' | 'isGood'> | null;
  readonly tokens: Pick<IdentityTokens, 'find' | 'isReady'> | null;
  /** Absent: nobody signs in at an issuer here. */
  readonly sessions?: Pick<ConsoleSessions, 'find'> | null;
  readonly clock: Pick<Clock, 'now'>;
}

const KEY_PREFIX = 'bsk_';

/** Tells whose a request is: by an API key, by a token of an issuer, or by a session. */
export class Callers {
  constructor(private readonly options: CallersOptions) {}

  /** The credential that a caller needs, as a noun with its article. */
  get wants(): string {
    const { keys, tokens } = this.options;
    if (tokens === null) return 'a key';
    return keys === null ? 'a token of the issuer' : 'a key or a token of the issuer';
  }

  /** Returns the owner; null: nobody owns it. Throws as the check of that kind does. */
  find(text: string): Principal | null | Promise<Principal | null> {
    const { keys, sessions, tokens } = this.options;
    if (text === '') return null;
    if (text.startsWith(KEY_PREFIX)) return keys?.find(text) ?? null;
    if (text.startsWith(SESSION_PREFIX)) return sessions?.find(text) ?? null;
    return tokens?.find(text) ?? null;
  }

  /** Whether somebody who was let in would be let in again. */
  async isGood(principal: Principal): Promise<boolean> {
    const { goodUntil } = principal;
    if (goodUntil !== undefined) return this.options.clock.now() < goodUntil;
    return (await this.options.keys?.isGood(principal)) ?? true;
  }

  /** Believes nothing of a key any more. */
  forget(id: string): void {
    this.options.keys?.forget(id);
  }

  /**
   * The reason why tokens cannot be judged; null: there is none, or none are taken. If the keys of
   * the issuer are missing, they are looked for meanwhile.
   */
  obstacle(): string | null {
    const { tokens } = this.options;
    return tokens === null || tokens.isReady ? null : 'the keys of the token issuer are not known';
  }

  /** Whether nobody at all can be let in as long as there is an obstacle. */
  get needsIssuer(): boolean {
    return this.options.keys === null;
  }
}
