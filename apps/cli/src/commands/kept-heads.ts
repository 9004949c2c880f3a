import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type ChainCheck, isHeadSigned, isRemovedTooEarly } from '#access';
import { type SignedHead, signedHeadIn } from '#access';
import type { LoggedEntry } from '#ports';
import { CliError, EXIT } from '../exit.js';

/** Public keys in one file, one after the other. */
const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;

/** Heads of an audit log that a person kept, held against its entries one by one. */
export class KeptHeads {
  readonly #bySeq = new Map<number, SignedHead[]>();
  #newest = 0;

  constructor(private readonly heads: readonly SignedHead[]) {
    for (const head of heads) {
      this.#bySeq.set(head.seq, [...(this.#bySeq.get(head.seq) ?? []), head]);
    }
  }

  /** How many there are. */
  get count(): number {
    return this.heads.length;
  }

  /** Number of the newest entry that one of them was made of, as far as entries were taken. */
  get newest(): number {
    return this.#newest;
  }

  /** Throws a `CliError` where a signature is none of these keys. */
  expectSignedBy(keys: readonly KeyObject[]): void {
    const forged = this.heads.find((head) => !isHeadSigned(head, keys));
    if (forged === undefined) return;
    const sentence = `the signature of ${named(forged)} does not hold`;
    throw new CliError(EXIT.endedOtherwise, sentence, 'Perhaps it was made with another key.');
  }

  /** Takes the next entry. Throws a `CliError` where it is not the one that a head was made of. */
  take({ hash, seq }: Pick<LoggedEntry, 'hash' | 'seq'>): void {
    // One whose hash cannot be read is told as unreadable.
    if (hash === undefined) return;
    const heads = this.#bySeq.get(seq);
    if (heads === undefined) return;
    const other = heads.find((head) => head.hash !== hash);
    if (other === undefined) {
      this.#newest = Math.max(this.#newest, seq);
      return;
    }
    throw new CliError(EXIT.endedOtherwise, `entry ${seq} is not the one of ${named(other)}`);
  }

  /**
   * Throws a `CliError` where the log ends before one of them, begins behind all, or lacks the
   * entry of one that retention had to keep. Returns how many are of removed entries, so that they
   * say nothing more.
   */
  end({ last, removal, start }: Pick<ChainCheck, 'last' | 'removal' | 'start'>): number {
    this.expectWithin(last?.seq ?? 0);
    if (start.hash !== null) this.take({ seq: start.seq, hash: start.hash });
    const gone = this.heads.filter(({ seq }) => {
      return seq < start.seq || (seq === start.seq && start.hash === null);
    });
    const early =
      removal === null ? undefined : gone.find((head) => isRemovedTooEarly(head, removal));
    if (early !== undefined) {
      const sentence = `entry ${early.seq} was removed too early: there is ${named(early)}`;
      const hint = 'Entries were dated back, so that retention took them for old ones.';
      throw new CliError(EXIT.endedOtherwise, sentence, hint);
    }
    if (gone.length < this.heads.length) return gone.length;
    const sentence = 'the entries of all heads were removed by retention';
    throw new CliError(EXIT.endedOtherwise, sentence, 'Give newer heads.');
  }

  private expectWithin(last: number): void {
    const beyond = this.heads.filter(({ seq }) => seq > last);
    const [first] = beyond.toSorted((a, b) => b.seq - a.seq);
    if (first === undefined) return;
    const missing = last + 1 === first.seq ? `entry ${first.seq} is` : rangeOf(last + 1, first.seq);
    const sentence = `${missing} missing at the end: there is ${named(first)}`;
    throw new CliError(EXIT.endedOtherwise, sentence);
  }
}

function rangeOf(from: number, to: number): string {
  return `entries ${from} to ${to} are`;
}

function named({ at, seq }: SignedHead): string {
  return `the head of entry ${seq}, signed at ${at}`;
}

/** The heads in a file: one in each line, as JSON. Throws a `CliError` where it is none. */
export async function readHeads(file: string, cwd: string): Promise<readonly SignedHead[]> {
  const lines = (await readText(file, cwd)).split('\n');
  const heads = lines.flatMap((line, index) => {
    return line.trim() === '' ? [] : [readHead(line, `${file}:${index + 1}`)];
  });
  if (heads.length > 0) return heads;
  throw new CliError(EXIT.usage, `${file} has no heads: there is a JSON object in each line`);
}

function readHead(line: string, place: string): SignedHead {
  const head = signedHeadIn(line);
  if (head !== null) return head;
  const sentence = `${place} is no head: it must have seq, hash, at and signature`;
  throw new CliError(EXIT.usage, sentence);
}

/** The Ed25519 public keys in a PEM file. Throws a `CliError` where there are none. */
export async function readPublicKeys(file: string, cwd: string): Promise<readonly KeyObject[]> {
  const parts = (await readText(file, cwd)).match(PEM) ?? [];
  const keys = parts.flatMap((part) => publicKeyOf(part) ?? []);
  if (keys.length > 0 && keys.length === parts.length) return keys;
  throw new CliError(
    EXIT.usage,
    `${file} must hold Ed25519 public keys, as \`openssl pkey -pubout\` writes them`,
  );
}

function publicKeyOf(pem: string): KeyObject | null {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? key : null;
  } catch {
    return null;
  }
}

function readText(file: string, cwd: string): Promise<string> {
  return readFile(path.resolve(cwd, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliError(EXIT.usage, `${file} cannot be read: ${error.code}`);
  });
}
