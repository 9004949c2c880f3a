import type { JsonValue } from '#core';
import { isSealed, mapTexts, MASK, sealedIn } from '#core/secrets';

/** Digits of the number of a stand-in, so that all have the same length. */
const DIGITS = 6;

/**
 * Texts that expressions see in the place of sealed values. All have one length, and each question
 * has its own, which nothing outside can know: what stands for a secret afterwards was handed on,
 * and was not put together from parts.
 */
export class SecretStandIns {
  readonly #mark: string;
  readonly #standInOf = new Map<string, string>();
  readonly #sealedOf = new Map<string, string>();

  /** `chance`: a text that was never used before and cannot be guessed. */
  constructor(chance: string) {
    this.#mark = `secret-${chance}-`;
  }

  /** A value with stand-ins for the sealed values in it. */
  hide<T extends JsonValue>(value: T): T {
    return mapTexts(value, (text) => (isSealed(text) ? this.#standIn(text) : text)) as T;
  }

  /** The value with what its stand-ins stand for; undefined: something was made of a secret. */
  restore(value: JsonValue): JsonValue | undefined {
    let isSound = true;
    const restored = mapTexts(value, (text) => {
      const sealed = this.#sealedOf.get(text);
      if (sealed !== undefined) return sealed;
      if (text.includes(this.#mark) || sealedIn(text).length > 0) isSound = false;
      return text;
    });
    return isSound ? restored : undefined;
  }

  /** A text for people. */
  masked(text: string): string {
    const [first = '', ...others] = text.split(this.#mark);
    return [first, ...others.map((rest) => MASK + rest.slice(DIGITS))].join('');
  }

  #standIn(sealed: string): string {
    const known = this.#standInOf.get(sealed);
    if (known !== undefined) return known;
    const standIn = `${this.#mark}${String(this.#standInOf.size).padStart(DIGITS, '0')}`;
    this.#standInOf.set(sealed, standIn);
    this.#sealedOf.set(standIn, sealed);
    return standIn;
  }
}
