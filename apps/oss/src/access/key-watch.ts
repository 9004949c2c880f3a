import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '#access';
import type { Timer } from '#ports';
import { type AccessParts, type CommonParts, OSS_OPTIONS } from '../options.js';

/** How often it is looked whether keys are still good, in milliseconds. */
const LOOK_MS = 2_000;

interface Watched {
  readonly principal: Principal;
  readonly ends: Set<() => void>;
}

/**
 * Ends what stays open once the credential that it was opened with is not good any more, or gives
 * other rights.
 */
@Injectable()
export class KeyWatch {
  private readonly watched = new Map<string, Watched>();
  private timer: Timer | null = null;

  constructor(@Inject(OSS_OPTIONS) private readonly options: CommonParts & AccessParts) {}

  /** Calls `end` when the key is no longer good; the result calls that off. */
  watch(principal: Principal, end: () => void): () => void {
    const { goodUntil = '', keyId, session = '', somebody } = principal;
    if (keyId === null) return () => undefined;
    const { flows, labels, modules, role } = principal;
    // Tokens of one subject end one by one, and so do those of one subject with different rights,
    // or with groups by which these may come to differ.
    const groups = somebody?.groups ?? null;
    const shown = JSON.stringify([keyId, goodUntil, session, role, flows, labels, modules, groups]);
    const known = this.watched.get(shown) ?? { principal, ends: new Set() };
    this.watched.set(shown, known);
    known.ends.add(end);
    this.timer ??= this.options.clock.after(LOOK_MS, () => void this.look());
    return () => {
      known.ends.delete(end);
      if (known.ends.size === 0) this.watched.delete(shown);
    };
  }

  /** One question for each key, however much is open with it. */
  private async look(): Promise<void> {
    const { clock, keyRing } = this.options;
    await Promise.all(
      Array.from(this.watched.values(), async ({ ends, principal }) => {
        // While the store does not answer, nobody can have revoked anything.
        if (await keyRing.isGood(principal).catch(() => true)) return;
        for (const end of [...ends]) end();
      }),
    );
    this.timer = this.watched.size === 0 ? null : clock.after(LOOK_MS, () => void this.look());
  }
}
