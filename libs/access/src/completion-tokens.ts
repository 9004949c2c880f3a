import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CompletionClaim, CompletionTokens, ReadToken } from '#ports';
import { keysFor, type SharedSecrets } from './sharing-keys.js';

/** `bsc_`, whether it is of a rollback, the attempt, and the code that only we can make. */
const WRITTEN = /^bsc_([nr])([1-9]\d{0,9})_([\w-]{43})$/;

/**
 * Tokens that follow from their attempts by a secret: none is kept, and none can be guessed. With
 * keys, a copy of the store is not enough to make one.
 */
export class SealedTokens implements CompletionTokens {
  readonly #secrets: readonly [Buffer, ...Buffer[]];

  constructor(secrets: SharedSecrets) {
    this.#secrets = keysFor(secrets, 'completion tokens');
  }

  tokenOf(claim: CompletionClaim): string {
    const half = claim.direction === 'rollback' ? 'r' : 'n';
    const seal = sealOf(claim, this.#secrets[0]);
    return `bsc_${half}${claim.attempt}_${seal.toString('base64url')}`;
  }

  read(token: string, { run, taskId }: Pick<CompletionClaim, 'taskId' | 'run'>): ReadToken | null {
    const [, half, number, seal] = WRITTEN.exec(token) ?? [];
    if (seal === undefined) return null;
    const direction = half === 'r' ? 'rollback' : 'normal';
    const attempt = Number(number);
    const shown = Buffer.from(seal, 'base64url');
    const isOurs = this.#secrets.some((secret) => {
      const sealed = sealOf({ taskId, run, direction, attempt }, secret);
      return shown.length === sealed.length && timingSafeEqual(shown, sealed);
    });
    return isOurs ? { direction, attempt } : null;
  }
}

function sealOf({ attempt, direction, run, taskId }: CompletionClaim, secret: Buffer): Buffer {
  const text = JSON.stringify([taskId, run, direction, attempt]);
  return createHmac('sha256', secret).update(text).digest();
}
