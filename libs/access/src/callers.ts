import type { Clock } from '#ports';
import { type AccessRules, isSameRights } from './bindings.js';
import type { ClientCertificates, ShownCertificate } from './client-certificates.js';
import { type ConsoleSessions, SESSION_PREFIX } from './console-sessions.js';
import { EndedSessions } from './ended-sessions.js';
import type { IdentityTokens } from './identity-tokens.js';
import type { KeyRing } from './key-ring.js';
import { KEPT_PREFIX, KeptCredentials } from './kept-credentials.js';
import { LOCAL_SESSION_PREFIX, type LocalToken } from './local-token.js';
import type { Principal } from './principal.js';
import type { SaidByProxy, TrustedProxy } from './trusted-proxy.js';

/** The checks of credentials that callers may show; null: that kind is not taken here. */
interface CallersOptions {
  readonly keys: Pick<KeyRing, 'find' | 'forget' | 'isGood'> | null;
  readonly tokens: Pick<IdentityTokens, 'find' | 'isReady'> | null;
  /** Absent: nobody signs in at an issuer here. */
  readonly sessions?: Pick<ConsoleSessions, 'find'> | null;
  /** Absent or null: none is taken. Where there is one, nothing else is. */
  readonly local?: Pick<LocalToken, 'find' | 'findSigned' | 'greet' | 'openSession'> | null;
  /** Absent: no certificates are taken. */
  readonly certificates?: Pick<ClientCertificates, 'find'> | null;
  /** Absent: no proxy is trusted. */
  readonly proxy?: Pick<TrustedProxy, 'find'> | null;
  /** Absent or null: signing out ends no session. */
  readonly ended?: Pick<EndedSessions, 'end' | 'isEnded'> | null;
  /** Absent or null: a browser keeps the credential itself. */
  readonly kept?: Pick<KeptCredentials, 'end' | 'isOpen' | 'keep' | 'open'> | null;
  /** The rules that give rights to callers without a key. Absent: they have none. */
  readonly rules?: Pick<AccessRules, 'rightsOf'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** The forms of a credential in a browser. */
interface KeptCredential {
  /** For the cookie. */
  readonly cookie: string;
  /** For the storage of the page; null: the cookie alone will do. */
  readonly proof: string | null;
}

const KEY_PREFIX = 'bsk_';

/** Tells whose a request is: by a key, a token, a session, a certificate, or by a proxy. */
export class Callers {
  constructor(private readonly options: CallersOptions) {}

  /** The credential that a caller needs in a header, as a noun with its article; null: none. */
  get wants(): string | null {
    const { keys, local, tokens } = this.options;
    if (local) return 'the token in the file `token` of its data folder';
    if (tokens === null) return keys === null ? null : 'a key';
    return keys === null ? 'a token of the issuer' : 'a key or a token of the issuer';
  }

  /** Whether a certificate will do. */
  get takesCertificates(): boolean {
    const { certificates = null } = this.options;
    return certificates !== null;
  }

  /** Whether a proxy is trusted that vouches for people. */
  get takesProxy(): boolean {
    const { proxy = null } = this.options;
    return proxy !== null;
  }

  /** Returns the owner; null: nobody owns it. Throws as the check of that kind does. */
  find(text: string): Principal | null | Promise<Principal | null> {
    const { kept, keys, local, sessions, tokens } = this.options;
    if (text === '') return null;
    if (local) {
      const found = local.find(text);
      return text.startsWith(LOCAL_SESSION_PREFIX) ? this.#unlessEnded(found, text) : found;
    }
    if (kept && text.startsWith(KEPT_PREFIX)) return this.#findKept(text, kept);
    if (text.startsWith(KEY_PREFIX)) return keys?.find(text) ?? null;
    if (text.startsWith(SESSION_PREFIX)) {
      return this.#unlessEnded(sessions?.find(text) ?? null, text);
    }
    return tokens?.find(text) ?? null;
  }

  /** Ends the session that a credential is, in all processes of the store; others stay good. */
  async endSession(text: string, { goodUntil, session }: Principal): Promise<void> {
    if (session !== undefined && KeptCredentials.isId(session)) {
      await this.options.kept?.end(text);
      return;
    }
    if (session !== undefined && goodUntil !== undefined) {
      await this.options.ended?.end(text, goodUntil);
    }
  }

  async #findKept(
    text: string,
    kept: NonNullable<CallersOptions['kept']>,
  ): Promise<Principal | null> {
    const session = KeptCredentials.idOf(text);
    const credential = await kept.open(text);
    if (session === null || credential === null) return null;
    const found = await this.find(credential);
    return found === null ? null : { ...found, session };
  }

  async #unlessEnded(found: Principal | null, text: string): Promise<Principal | null> {
    if (found === null) return null;
    const session = EndedSessions.idOf(text);
    const isEnded = (await this.options.ended?.isEnded(session)) ?? false;
    return isEnded ? null : { ...found, session };
  }

  /** Returns the owner of a request that was signed with the token of the machine; null: nobody. */
  findSigned(...signed: Parameters<LocalToken['findSigned']>): Principal | null {
    return this.options.local?.findSigned(...signed) ?? null;
  }

  /** Shows that this process knows the token of its machine; null: none is taken. */
  greet(...asked: Parameters<LocalToken['greet']>): ReturnType<LocalToken['greet']> {
    return this.options.local?.greet(...asked) ?? null;
  }

  /**
   * The forms in which a browser keeps a credential that was just taken. A session that it has
   * already is kept as it is. Throws `StoreUnavailable`.
   */
  async keep(credential: string, { goodUntil, session }: Principal): Promise<KeptCredential> {
    const { kept, local } = this.options;
    if (local) return local.openSession();
    const isSession = session !== undefined;
    if (isSession || !kept) return { cookie: credential, proof: null };
    return { cookie: await kept.keep(credential, goodUntil), proof: null };
  }

  /**
   * Returns the owner of a certificate; null: none are taken. Throws as `ClientCertificates` does.
   */
  findByCertificate(shown: ShownCertificate): Principal | null {
    return this.options.certificates?.find(shown) ?? null;
  }

  /** Returns the person that a proxy vouches for; null: nobody. Throws as `TrustedProxy` does. */
  findByProxy(said: SaidByProxy): Principal | null {
    return this.options.proxy?.find(said) ?? null;
  }

  /** Whether a caller who was let in would be let in again, with the same rights. */
  async isGood(principal: Principal): Promise<boolean> {
    const { goodUntil, session, shown, somebody } = principal;
    if (goodUntil !== undefined && this.options.clock.now() >= goodUntil) return false;
    if (session !== undefined && !(await this.#isOpen(session))) return false;
    if (shown?.isCurrent === false) return false;
    const { keys, rules } = this.options;
    if (somebody === undefined) return (await keys?.isGood(principal)) ?? true;
    return rules !== undefined && isSameRights(principal, rules.rightsOf(somebody));
  }

  async #isOpen(session: string): Promise<boolean> {
    const { ended, kept } = this.options;
    if (KeptCredentials.isId(session)) return (await kept?.isOpen(session)) ?? false;
    return (await ended?.isEnded(session)) !== true;
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
    const { keys, tokens } = this.options;
    return keys === null && tokens !== null && !this.takesCertificates && !this.takesProxy;
  }
}
