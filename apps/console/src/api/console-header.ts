import { keep, kept } from '../browser/storage.js';

/** Half of a session is kept under this name, where the cookie alone does not do. */
const PROOF = 'session-proof';

/** By this the server takes the session's cookie: pages elsewhere cannot send it. */
export function consoleHeader(): Readonly<Record<string, string>> {
  return { 'x-backstep-console': kept(PROOF) ?? '1' };
}

/** Keeps the half of a session that is in no cookie; null: there is none. */
export function keepProof(proof: string | null): void {
  keep(PROOF, proof);
}
