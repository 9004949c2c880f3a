import { type KeyObject, sign, verify } from 'node:crypto';
import { OBJECT } from '#core/json';
import { readJson } from '#json';
import type { AuditAnchor, AuditEntry } from '#ports';

/** A position in an audit log, and the moment at which it is vouched for. */
interface SignedPlace {
  /** Number of the entry. */
  readonly seq: number;
  /** The hash of that entry. */
  readonly hash: string;
  /** The moment of the signature, as ISO 8601. */
  readonly at: string;
}

/** The end of an audit log, as a gateway vouches for it. */
export interface SignedHead extends SignedPlace {
  /** Ed25519 over the text of the head, in base64. */
  readonly signature: string;
}

/** Most bytes of one head: a line of a log has other members, too. */
const HEAD_BYTES_MAX = 65_536;

/** The head in a line of JSON, whatever else is in it; null: there is none. */
export function signedHeadIn(line: string): SignedHead | null {
  const { at, hash, seq, signature } = membersOf(line);
  const isHead =
    Number.isSafeInteger(seq) &&
    (seq as number) >= 1 &&
    /^[\da-f]{64}$/.test(String(hash)) &&
    !Number.isNaN(Date.parse(String(at))) &&
    /^[\w+/]{86}==$/.test(String(signature));
  return isHead ? ({ at, hash, seq, signature } as SignedHead) : null;
}

function membersOf(line: string): Partial<Record<keyof SignedHead, unknown>> {
  try {
    const value = readJson(line, { bytes: HEAD_BYTES_MAX });
    return OBJECT.holds(value) ? (value as object) : {};
  } catch {
    return {};
  }
}

function signed(text: string, key: KeyObject): string {
  return sign(null, Buffer.from(text), key).toString('base64');
}

function isSigned(text: string, signature: string, keys: readonly KeyObject[]): boolean {
  const [said, bytes] = [Buffer.from(text), Buffer.from(signature, 'base64')];
  return keys.some((key) => verify(null, said, key, bytes));
}

/** No signature passes for one for another purpose, which stands in front of the text. */
function headText({ at, hash, seq }: SignedPlace): string {
  return `backstep audit head ${seq} ${hash} ${at}`;
}

function anchorText({ hash, kept, seq, unsigned = 0 }: AuditAnchor, at: number): string {
  const text = `backstep audit anchor ${seq} ${hash} ${unsigned} ${new Date(at).toISOString()}`;
  return kept === undefined ? text : `${text} ${kept}`;
}

/** Signs a head with an Ed25519 key. */
export function signHead({ at, hash, seq }: SignedPlace, key: KeyObject): SignedHead {
  const head = { seq, hash, at };
  return { ...head, signature: signed(headText(head), key) };
}

/** Whether one of these public keys is that of the head's signature. */
export function isHeadSigned(head: SignedHead, keys: readonly KeyObject[]): boolean {
  return isSigned(headText(head), head.signature, keys);
}

/** Signs the last of entries that are to be removed: `at` is the moment of the entry about it. */
export function signAnchor(anchor: AuditAnchor, at: number, key: KeyObject): AuditAnchor {
  return { ...anchor, signature: signed(anchorText(anchor, at), key) };
}

/** Whether an entry has an anchor, with the signature of one of these public keys. */
export function isAnchorSigned(
  { anchor, at }: Pick<AuditEntry, 'anchor' | 'at'>,
  keys: readonly KeyObject[],
): boolean {
  if (anchor?.signature === undefined) return false;
  return isSigned(anchorText(anchor, at), anchor.signature, keys);
}
