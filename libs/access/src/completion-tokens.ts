import { createHmac, timingSafeEqual } from 'node:crypto';
import type { CompletionClaim, CompletionTokens, ReadToken } from '#ports';

/** `bsc_`, whether it is of a rollback, the attempt, and the code that only we can make. */
const WRITTEN = /^bsc_([nr])([1-9]\d{0,9})_([\w-]{43})$/;

/** Tokens that follow from their attempts by a secret: none is kept, and none can be guessed. */
export class SealedTokens implements CompletionTokens {
  readonly #secret: string;

  constructor(secret: string) {
    this.#secret = secret;
  }

  tokenOf(claim: CompletionClaim): string {
    const half = claim.direction === 'rollback' ? 'r' : 'n';
    return `bsc_${half}${claim.attempt}_${this.#sealOf(claim).toString('base64url')}`;
  }

  read(token: string, { run, taskId }: Pick<CompletionClaim, 'taskId' | 'run'>): ReadToken | null {
    const [, half, number, seal] = WRITTEN.exec(token) ?? [];
    if (seal === undefined) return null;
    const direction = half === 'r' ? 'rollback' : 'normal';
    const attempt = Number(number);
    const shown = Buffer.from(seal, 'base64url');
    const sealed = this.#sealOf({ taskId, run, direction, attempt });
    const isOurs = shown.length === sealed.length && timingSafeEqual(shown, sealed);
    return isOurs ? { direction, attempt } : null;
  }

  #sealOf({ attempt, direction, run, taskId }: CompletionClaim): Buffer {
    const text = JSON.stringify([taskId, run, direction, attempt]);
    return createHmac('sha256', this.#secret).update(text).digest();
  }
}
