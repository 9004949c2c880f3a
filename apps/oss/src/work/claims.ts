import { hash } from 'node:crypto';
import { type Principal, usesModule } from '#access';
import { readStoredJson } from '#core/json';
import { type WorkClaim, WorkerNameTaken } from '#engine';
import { forbidden, Problem } from '#http-server';
import { type OssOptions } from '../options.js';

/** The members of a claim in the order in which its text has them, and the mark of its key. */
type Written = readonly [
  mark: string,
  taskId: string,
  place: number,
  direction: 'n' | 'r',
  attempt: number,
  token: number,
  worker: string,
  module: string,
  command: string,
];

/** Claims of which the texts are remembered at least: more than are out at a busy gateway. */
const REMEMBERED = 5_000;

/** A claim, and the mark of the key that it was given to. */
interface MarkedClaim {
  readonly claim: WorkClaim;
  readonly mark: string;
}

/**
 * Claims as texts: signed, so that only a claim that was made here comes back, and marked with the
 * key that it was given to. Every gateway of the deployment reads them; the one that wrote a text
 * remembers it for a while, as checking a signature costs more than most of a request.
 */
export class ClaimTexts {
  private written = new Map<string, MarkedClaim>();
  /** Those before. Forgotten together: to find the oldest of a map takes as long as many writes. */
  private writtenBefore: ReadonlyMap<string, MarkedClaim> = new Map();
  /** The mark of the latest key: most requests come with the same one. */
  private latest: { readonly keyId: string | null; readonly mark: string } | null = null;

  constructor(private readonly texts: OssOptions['claimTexts']) {}

  /** The text of a claim, for a caller. */
  write(claim: WorkClaim, principal: Principal): string {
    const { attempt, command, direction, module, place, taskId, token, worker } = claim;
    const half = direction === 'rollback' ? 'r' : 'n';
    const mark = this.markOf(principal);
    const written: Written = [mark, taskId, place, half, attempt, token, worker, module, command];
    const text = this.texts.sign(JSON.stringify(written));
    this.remember(text, { claim, mark });
    return text;
  }

  /**
   * The claim again. Throws the `Problem` that it was not made here, is another key's, or of a
   * module that the caller may not serve any more.
   */
  read(text: string, principal: Principal): WorkClaim {
    const remembered = this.written.get(text) ?? this.writtenBefore.get(text);
    const { claim, mark } = remembered ?? this.readSigned(text);
    if (mark !== this.markOf(principal)) throw forbidden(principal, 'was not given this claim');
    expectServes(principal, [claim.module]);
    return claim;
  }

  private readSigned(text: string): MarkedClaim {
    const content = this.texts.read(text);
    if (content === null) throw wrongClaim();
    const written = readStoredJson(content, 'a claim') as Written;
    const [mark, taskId, place, half, attempt, token, worker, module, command] = written;
    const direction = half === 'r' ? 'rollback' : 'normal';
    return { claim: { taskId, place, direction, attempt, token, worker, module, command }, mark };
  }

  private remember(text: string, marked: MarkedClaim): void {
    if (this.written.size >= REMEMBERED) {
      this.writtenBefore = this.written;
      this.written = new Map();
    }
    this.written.set(text, marked);
  }

  private markOf({ keyId }: Principal): string {
    if (this.latest?.keyId !== keyId) this.latest = { keyId, mark: markOf(keyId) };
    return this.latest.mark;
  }
}

/** Tells keys apart, and says nothing of them. */
export function markOf(keyId: string | null): string {
  return hash('sha256', keyId ?? '', 'base64url').slice(0, 12);
}

function wrongClaim(): Problem {
  return new Problem('WRONG_CLAIM', 'The claim was not made here, or it was altered.');
}

/** The outcome of a call in the name of a worker, or the `Problem` that it is another key's. */
export async function inItsName<Done>(principal: Principal, call: Promise<Done>): Promise<Done> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof WorkerNameTaken)) throw error;
    throw forbidden(principal, 'may not use this name: a worker of another key has it');
  }
}

/** Throws the `Problem` that a caller may not serve a module. */
export function expectServes(principal: Principal, modules: readonly string[]): void {
  const other = modules.find((module) => !usesModule(principal, module));
  if (other !== undefined) throw forbidden(principal, `may not serve the module ${other}`);
}
