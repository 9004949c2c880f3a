import type { Governance } from './governance.js';
import type { EngineParts } from './parts.js';
import type { SessionWatch } from './session-watch.js';
import type { StoreSight } from './store-sight.js';

/** Tasks released in one go. */
const PAGE = 200;

interface ReleaseParts extends Pick<EngineParts, 'sessions'> {
  readonly governance: Governance;
  readonly sight: StoreSight;
  readonly watch: SessionWatch;
}

/**
 * Ends sessions whose processes are gone and moves the tasks that they hold. Any number of copies
 * may run. Its rounds are apart from those of governance: due work that takes long must not keep a
 * process from seeing that others do not renew.
 */
export class SessionRelease {
  constructor(private readonly parts: ReleaseParts) {}

  /**
   * Looks at all sessions and at what those hold that are over. A session that is over stays listed
   * while it holds something: nothing is lost in the middle. Throws `StoreUnavailable`.
   */
  tick(): Promise<void> {
    const { sight, watch } = this.parts;
    return sight.during(async () => {
      for (const session of await watch.look()) {
        await watch.held(session, await this.release(session));
      }
    });
  }

  /** Moves the tasks that a session holds which is over; resolves to whether there were any. */
  private async release(session: string): Promise<boolean> {
    const { governance, sessions } = this.parts;
    const ended = new Set([session]);
    let isHolding = false;
    let after: string | undefined;
    do {
      const page = await sessions.findHeld(session, { after, limit: PAGE });
      await governance.wakeHeld(page.tasks, ended);
      isHolding ||= page.tasks.length > 0;
      after = page.next ?? undefined;
    } while (after !== undefined);
    return isHolding;
  }
}
