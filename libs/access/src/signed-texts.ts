import { createHmac, timingSafeEqual } from 'node:crypto';
import { keysFor, type SharedSecrets } from './sharing-keys.js';

/** `bsw_`, the content, and the code that only we can make. */
const WRITTEN = /^bsw_([\w-]+)\.([\w-]{43})$/;

/**
 * Gives short texts away so that they come back unchanged: each is signed, and none is kept. A text
 * can be read by its holder, so it must hold no secret.
 */
export class SignedTexts {
  readonly #keys: readonly [Buffer, ...Buffer[]];

  constructor(secrets: SharedSecrets) {
    this.#keys = keysFor(secrets, 'claims of workers');
  }

  /** A text of letters, digits, `_`, `-` and one dot. */
  sign(text: string): string {
    const content = Buffer.from(text).toString('base64url');
    return `bsw_${content}.${codeOf(content, this.#keys[0]).toString('base64url')}`;
  }

  /** The text again; null: it was not signed here, or was altered. */
  read(signed: string): string | null {
    const [, content, code] = WRITTEN.exec(signed) ?? [];
    if (content === undefined || code === undefined) return null;
    const shown = Buffer.from(code, 'base64url');
    const isOurs = this.#keys.some((key) => timingSafeEqual(shown, codeOf(content, key)));
    // Several texts of base64 have the same bytes, and only one of them was made here.
    const isPlain = shown.toString('base64url') === code;
    return isOurs && isPlain ? Buffer.from(content, 'base64url').toString() : null;
  }
}

function codeOf(content: string, key: Buffer): Buffer {
  return createHmac('sha256', key).update(`claim ${content}`).digest();
}
