import { randomBytes } from 'node:crypto';

/** Bytes of an id: enough that no two meet. */
const ID_BYTES = 8;
/** Bytes of a secret: enough that nobody guesses one. */
const SECRET_BYTES = 32;

/** A new secret in base64url, with an id in hexadecimal that names it and tells nothing of it. */
export function newSecret(): { readonly id: string; readonly secret: string } {
  return {
    id: randomBytes(ID_BYTES).toString('hex'),
    secret: randomBytes(SECRET_BYTES).toString('base64url'),
  };
}
