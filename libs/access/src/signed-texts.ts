import { createHmac, type KeyObject } from 'node:crypto';
import type { CompletionClaim, CompletionTokens, ReadToken } from '#ports';
import { isSameSecret } from './same-secret.js';
import { hmacKeysFor, type SharedSecrets } from './sealed-text.js';

/** `bsw_`, the content, and the code that only we can make. */
const WRITTEN = /^bsw_([\w-]+)\.([\w-]{43})$/;

/** `bsc_`, whether it is of a rollback, the attempt, and the code that only we can make. */
const WRITTEN_TOKEN = /^bsc_([nr])([1-9]\d{0,9})_([\w-]{43})$/;

/**
 * Gives short texts away so that they come back unchanged: each is signed, and none is kept. A text
 * can be read by its holder, so it must hold no secret.
 */
export class SignedTexts {
  readonly #keys: readonly [KeyObject, ...KeyObject[]];

  constructor(secrets: SharedSecrets) {
    this.#keys = hmacKeysFor(secrets, 'claims of workers');
  }

  /** A text of letters, digits, `_`, `-` and one dot. */
  sign(text: string): string {
    const content = Buffer.from(text).toString('base64url');
    return `bsw_${content}.${codeOf(content, this.#keys[0])}`;
  }

  /** The text again; null: it was not signed here, or was altered. */
  read(signed: string): string | null {
    const [, content, code] = WRITTEN.exec(signed) ?? [];
    if (content === undefined || code === undefined) return null;
    const isOurs = this.#keys.some((key) => isSameSecret(code, codeOf(content, key)));
    return isOurs ? Buffer.from(content, 'base64url').toString() : null;
  }
}

function codeOf(content: string, key: KeyObject): string {
  return createHmac('sha256', key).update(`claim ${content}`).digest('base64url');
}

/**
 * Tokens that follow from their attempts by a secret: none is kept, and none can be guessed. With
 * keys, a copy of the store is not enough to make one.
 */
export class SealedTokens implements CompletionTokens {
  readonly #secrets: readonly [KeyObject, ...KeyObject[]];

  constructor(secrets: SharedSecrets) {
    this.#secrets = hmacKeysFor(secrets, 'completion tokens');
  }

  tokenOf(claim: CompletionClaim): string {
    const half = claim.direction === 'rollback' ? 'r' : 'n';
    const seal = sealOf(claim, this.#secrets[0]);
    return `bsc_${half}${claim.attempt}_${seal}`;
  }

  read(token: string, { run, taskId }: Pick<CompletionClaim, 'taskId' | 'run'>): ReadToken | null {
    const [, half, number, seal] = WRITTEN_TOKEN.exec(token) ?? [];
    if (seal === undefined) return null;
    const direction = half === 'r' ? 'rollback' : 'normal';
    const attempt = Number(number);
    const isOurs = this.#secrets.some((secret) => {
      return isSameSecret(seal, sealOf({ taskId, run, direction, attempt }, secret));
    });
    return isOurs ? { direction, attempt } : null;
  }
}

function sealOf({ attempt, direction, run, taskId }: CompletionClaim, secret: KeyObject): string {
  const text = JSON.stringify([taskId, run, direction, attempt]);
  return createHmac('sha256', secret).update(text).digest('base64url');
}
