import { hash } from 'node:crypto';
import { allOf, type Clock, type KeyRecord, nullWhereUnreadable } from '#ports';
import { type Records, StoreUnavailable } from '#ports';

/** Dependencies of the list of ended sessions. */
interface EndedSessionsOptions {
  readonly keys: Records<KeyRecord, 'age'>;
  readonly clock: Clock;
}

/** Begins the ids of ended sessions in the store; no key of a request has such an id. */
const ID_PREFIX = 'ended-session-';
/** A session that was open is taken for open so long, in milliseconds. */
const BELIEVED_MS = 2_000;
/** Sessions that are remembered. */
const KEPT_MAX = 10_000;

/**
 * The sessions of browsers that people have signed out of, until they would have ended by
 * themselves. They are kept beside the keys, by their hash, so that every process of the store
 * refuses them within two seconds.
 */
export class EndedSessions {
  /** When a session was last seen open, by the monotonic clock. */
  readonly #open = new Map<string, number>();

  constructor(private readonly options: EndedSessionsOptions) {}

  /** The name of a session, which is none of its secrets. */
  static idOf(session: string): string {
    return `${ID_PREFIX}${hashOf(session).slice(0, 32)}`;
  }

  /**
   * Ends a session that would be good until then, in milliseconds since 1970. Throws
   * `StoreUnavailable`.
   */
  async end(session: string, until: number): Promise<void> {
    const { clock, keys } = this.options;
    const id = EndedSessions.idOf(session);
    const nothing = { role: 'viewer', flows: [], labels: null, modules: [], usedAt: null } as const;
    const times = { createdAt: clock.now(), expiresAt: until };
    const name = 'ended session';
    await keys.put({ id, hash: hashOf(session), name, ...nothing, ...times }, null);
    this.#open.delete(id);
    await this.#removeOld();
  }

  /**
   * Whether a session of this id was ended. While the store does not answer, none is known to be:
   * nothing can be done with it either.
   */
  async isEnded(id: string): Promise<boolean> {
    const { clock, keys } = this.options;
    const now = clock.monotonic();
    if (now - (this.#open.get(id) ?? -Infinity) < BELIEVED_MS) return false;
    try {
      if ((await keys.get(id).catch(nullWhereUnreadable)) !== null) return true;
    } catch (error) {
      if (error instanceof StoreUnavailable) return false;
      throw error;
    }
    if (this.#open.size >= KEPT_MAX) this.#open.clear();
    this.#open.set(id, now);
    return false;
  }

  async #removeOld(): Promise<void> {
    const { clock, keys } = this.options;
    const now = clock.now();
    const ended = (await allOf(keys)).filter(({ id }) => id.startsWith(ID_PREFIX));
    const old = ended.filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now);
    for (const { id } of old) await keys.remove(id, 'any');
  }
}

function hashOf(session: string): string {
  return hash('sha256', session, 'hex');
}
