import { createHash } from 'node:crypto';
import { type Principal, usesModule } from '#access';
import { readStoredJson } from '#core/json';
import type { WorkClaim } from '#engine';
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

/**
 * Claims as texts: signed, so that only a claim that was made here comes back, and marked with the
 * key that it was given to. None is kept: every gateway of the deployment reads them.
 */
export class ClaimTexts {
  constructor(private readonly texts: OssOptions['claimTexts']) {}

  /** The text of a claim, for a caller. */
  write(claim: WorkClaim, principal: Principal): string {
    const { attempt, command, direction, module, place, taskId, token, worker } = claim;
    const half = direction === 'rollback' ? 'r' : 'n';
    const mark = markOf(principal);
    const written: Written = [mark, taskId, place, half, attempt, token, worker, module, command];
    return this.texts.sign(JSON.stringify(written));
  }

  /**
   * The claim again. Throws the `Problem` that it was not made here, is another key's, or of a
   * module that the caller may not serve any more.
   */
  read(text: string, principal: Principal): WorkClaim {
    const content = this.texts.read(text);
    if (content === null) throw wrongClaim();
    const written = readStoredJson(content, 'a claim') as Written;
    const [mark, taskId, place, half, attempt, token, worker, module, command] = written;
    if (mark !== markOf(principal)) throw forbidden(principal, 'was not given this claim');
    expectServes(principal, [module]);
    const direction = half === 'r' ? 'rollback' : 'normal';
    return { taskId, place, direction, attempt, token, worker, module, command };
  }
}

/** Tells keys apart, and says nothing of them. */
function markOf({ keyId }: Principal): string {
  return createHash('sha256')
    .update(keyId ?? '')
    .digest('base64url')
    .slice(0, 12);
}

function wrongClaim(): Problem {
  return new Problem('WRONG_CLAIM', 'The claim was not made here, or it was altered.');
}

/** Throws the `Problem` that a caller may not serve a module. */
export function expectServes(principal: Principal, modules: readonly string[]): void {
  const other = modules.find((module) => !usesModule(principal, module));
  if (other !== undefined) throw forbidden(principal, `may not serve the module ${other}`);
}
