import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type ChainStart, isHeadSigned, type SignedHead } from '#access';
import { OBJECT } from '#core';
import { readJson } from '#json';
import type { LoggedEntry } from '#ports';
import { CliError, EXIT } from '../exit.js';

/** Most bytes of one head: a line of a log has other members, too. */
const LINE_BYTES_MAX = 65_536;

/** Public keys in one file, one after the other. */
const PEM = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;

/** Heads of an audit log that somebody kept, held against its entries one by one. */
export class KeptHeads {
  readonly #bySeq = new Map<number, SignedHead[]>();

  constructor(private readonly heads: readonly SignedHead[]) {
    for (const head of heads) {
      this.#bySeq.set(head.seq, [...(this.#bySeq.get(head.seq) ?? []), head]);
    }
  }

  /** How many there are. */
  get count(): number {
    return this.heads.length;
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
    const other = this.#bySeq.get(seq)?.find((head) => head.hash !== hash);
    if (other === undefined) return;
    throw new CliError(EXIT.endedOtherwise, `entry ${seq} is not the one of ${named(other)}`);
  }

  /**
   * Throws a `CliError` where the log ends before one of them, or begins behind all. Returns how
   * many are of removed entries, so that they say nothing.
   */
  end({ last, start }: { readonly last: number; readonly start: ChainStart }): number {
    this.expectWithin(last);
    if (start.hash !== null) this.take({ seq: start.seq, hash: start.hash });
    const gone = this.heads.filter(({ seq }) => {
      return seq < start.seq || (seq === start.seq && start.hash === null);
    });
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
  const { at, hash, seq, signature } = membersOf(line);
  const isHead =
    Number.isSafeInteger(seq) &&
    (seq as number) >= 1 &&
    /^[\da-f]{64}$/.test(String(hash)) &&
    !Number.isNaN(Date.parse(String(at))) &&
    /^[\w+/]{86}==$/.test(String(signature));
  if (isHead) return { at, hash, seq, signature } as SignedHead;
  const sentence = `${place} is no head: it must have seq, hash, at and signature`;
  throw new CliError(EXIT.usage, sentence);
}

function membersOf(line: string): Partial<Record<keyof SignedHead, unknown>> {
  try {
    const value = readJson(line, { bytes: LINE_BYTES_MAX });
    return OBJECT.holds(value) ? (value as object) : {};
  } catch {
    return {};
  }
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
