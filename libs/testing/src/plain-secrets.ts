import type { JsonValue } from '#core';
import { SEAL_MARK } from '#core/secrets';
import { CannotOpenSecret, type Secrets } from '#ports';

/** Secrets for tests: what is sealed is only written in another way. */
export class PlainSecrets implements Secrets {
  readonly canSeal = true;
  #count = 0;

  /** `keys`: eight hexadecimal digits each; the first seals, all open. */
  constructor(private readonly keys: readonly string[] = ['00000001']) {}

  seal(value: JsonValue, owner: string): string {
    this.#count += 1;
    const text = JSON.stringify([owner, value, this.#count]);
    return `${SEAL_MARK}v1.${this.keys[0]}.${Buffer.from(text).toString('base64url')}`;
  }

  open(sealed: string, owner: string): JsonValue {
    if (!this.hasKeyOf(sealed)) throw new CannotOpenSecret(true, 'the key is not known here');
    const text = Buffer.from(sealed.split('.')[2] ?? '', 'base64url').toString();
    const [whose, value] = JSON.parse(text) as [string, JsonValue];
    if (whose !== owner) throw new CannotOpenSecret(false, 'it belongs to something else');
    return value;
  }

  hasKeyOf(sealed: string): boolean {
    return this.keys.includes(sealed.split('.')[1] ?? '');
  }

  fingerprints(text: string): readonly string[] {
    return this.keys.map((key) => `${key} ${text.length} ${Buffer.from(text).toString('hex')}`);
  }
}
