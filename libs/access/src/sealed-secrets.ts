import { createHmac } from 'node:crypto';
import type { JsonValue } from '#core';
import { readStoredJson } from '#core/json';
import { SEAL_MARK } from '#core/secrets';
import { CannotOpenSecret, type Secrets } from '#ports';
import { deriveKey } from './derived-keys.js';
import { CannotUnseal, TextSeal } from './sealed-text.js';

/** So that a sealed value of a task is no sealed text of anything else. */
const PURPOSE = 'secret of task';

/** Secrets of tasks, sealed with the keys of a deployment. */
export class SealedSecrets implements Secrets {
  readonly canSeal = true;
  readonly #seal: TextSeal;
  readonly #fingerprintKeys: readonly Buffer[];
  readonly #newChance: () => string;

  /**
   * `keys`: as for `TextSeal`; the first seals, all open. `newChance`: base64url of 16 characters
   * or more that was never used before.
   */
  constructor(keys: readonly string[], newChance: () => string) {
    this.#seal = new TextSeal(keys, 'secrets of tasks');
    this.#fingerprintKeys = keys.map((key) => deriveKey(key, 'fingerprints of secrets'));
    this.#newChance = newChance;
  }

  seal(value: JsonValue, owner: string): string {
    const text = JSON.stringify(value);
    return `${SEAL_MARK}${this.#seal.seal(text, ownerText(owner), this.#newChance())}`;
  }

  open(sealed: string, owner: string): JsonValue {
    const text = sealed.slice(SEAL_MARK.length);
    try {
      return readStoredJson(this.#seal.unseal(text, ownerText(owner)), 'a secret') as JsonValue;
    } catch (cause) {
      if (!(cause instanceof CannotUnseal)) throw cause;
      throw new CannotOpenSecret(!this.hasKeyOf(sealed), cause.message, { cause });
    }
  }

  hasKeyOf(sealed: string): boolean {
    return this.#seal.knowsKeyOf(sealed.slice(SEAL_MARK.length));
  }

  fingerprints(text: string): readonly string[] {
    return this.#fingerprintKeys.map((key) => {
      return createHmac('sha256', key).update(text).digest('base64url');
    });
  }
}

function ownerText(owner: string): string {
  return `${PURPOSE} ${owner}`;
}
