import type { CommandRecord } from '#ports';
import { readDuration } from '#wording';
import type { WrittenAction, WrittenDuration } from './written-flow.js';

/** The defaults of a command, as they were written; flows that use it inherit them. */
interface WrittenDefaults extends Pick<
  WrittenAction,
  'timeout' | 'attemptTimeout' | 'retry' | 'onCrash'
> {
  readonly description?: string;
  /** Of steps that do not say; null: there is nothing to undo. */
  readonly rollback?: WrittenAction | null;
}

/** Defaults by `module/command`. */
export type DefaultsByCommand = ReadonlyMap<string, WrittenDefaults>;

/** Indexes the stored defaults by command. */
export function defaultsByCommand(records: readonly CommandRecord[]): DefaultsByCommand {
  return new Map(
    records.map(({ command, defaults, module }) => {
      return [keyOf({ command, module }), defaults];
    }),
  );
}

/** An action with what it inherits where its author said nothing. */
export function inherited(
  written: WrittenAction,
  defaults: DefaultsByCommand | undefined,
): WrittenAction {
  const found = defaults?.get(keyOf(written));
  if (found === undefined) return written;
  const { attemptTimeout, onCrash, retry, timeout } = found;
  const own = {
    ...(timeout !== undefined && { timeout }),
    ...(attemptTimeout !== undefined && { attemptTimeout }),
    ...(retry !== undefined && { retry }),
    ...(onCrash !== undefined && { onCrash }),
  };
  const all: WrittenAction = { ...own, ...written };
  const isApart = (written.timeout === undefined) !== (written.attemptTimeout === undefined);
  if (!isApart || !isLonger(all.attemptTimeout, all.timeout)) return all;
  // Written by two people, they need not fit: an attempt ends with the time for all of them.
  const { attemptTimeout: _, ...rest } = all;
  return rest;
}

function isLonger(one: WrittenDuration = 0, other: WrittenDuration = Infinity): boolean {
  return (readDuration(one) ?? 0) > (readDuration(other) ?? Infinity);
}

/** The rollback that a step inherits which says nothing about one; undefined: none. */
export function inheritedRollback(
  normal: WrittenAction,
  all: DefaultsByCommand | undefined,
): WrittenAction | null | undefined {
  return all?.get(keyOf(normal))?.rollback;
}

function keyOf({ command, module }: Pick<WrittenAction, 'module' | 'command'>): string {
  return `${module}/${command}`;
}
