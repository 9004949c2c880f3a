import type { JsonObject, JsonValue } from '#core';
import type { CommandRecord } from '#ports';
import { isObject } from './json-document.js';
import { joinPointer } from './json-pointer.js';
import { nearNameHint } from './near-name-hint.js';
import { parseFlow } from './parse-flow.js';
import { type Problem, TEXT_START } from './problem.js';
import type { WrittenAction } from './written-flow.js';

/** The defaults of a command, as they were written; flows that use it inherit them. */
export interface WrittenDefaults extends Pick<
  WrittenAction,
  'timeout' | 'attemptTimeout' | 'retry' | 'onCrash'
> {
  readonly description?: string;
  /** Of steps that do not say; null: there is nothing to undo. */
  readonly rollback?: WrittenAction | null;
}

/** Defaults by `module/command`. */
export type DefaultsByCommand = ReadonlyMap<string, WrittenDefaults>;

/** A command and the defaults to store for it. */
export interface DefaultsOrder {
  readonly module: string;
  readonly command: string;
  readonly defaults: JsonValue;
}

/** Indexes the stored defaults by command. */
export function defaultsByCommand(records: readonly CommandRecord[]): DefaultsByCommand {
  return new Map(
    records.map(({ command, defaults, module }) => {
      return [keyOf({ command, module }), defaults];
    }),
  );
}

/** An action with what it inherits where its author said nothing. */
export function inherited(written: WrittenAction, all: DefaultsByCommand | undefined) {
  const found = all?.get(keyOf(written));
  if (found === undefined) return written;
  const { attemptTimeout, onCrash, retry, timeout } = found;
  const own = {
    ...(timeout !== undefined && { timeout }),
    ...(attemptTimeout !== undefined && { attemptTimeout }),
    ...(retry !== undefined && { retry }),
    ...(onCrash !== undefined && { onCrash }),
  };
  return { ...own, ...written };
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

/** Members of an action that can be inherited. */
const OF_ACTION = ['timeout', 'attemptTimeout', 'retry', 'onCrash'] as const;
const MEMBERS: readonly string[] = ['description', ...OF_ACTION, 'rollback'];

/** The problems of the defaults of a command; pointers are into them. Never throws. */
export function problemsOfDefaults({
  command,
  defaults,
  module,
}: DefaultsOrder): readonly Problem[] {
  if (!isObject(defaults)) return [fault('', 'WRONG_TYPE', 'The defaults must be an object.')];
  const unknown = Object.keys(defaults).filter((name) => !MEMBERS.includes(name));
  if (unknown.length > 0) return unknown.map(unknownMember);
  const { description, rollback } = defaults;
  const own = OF_ACTION.flatMap((name) => {
    const value = defaults[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const step: JsonObject = {
    ...(description !== undefined && { description }),
    normal: { module, command, ...Object.fromEntries(own) },
    ...(rollback !== undefined && { rollback }),
  };
  const reading = parseFlow('defaults', JSON.stringify([step]));
  if (reading.kind === 'sound') return [];
  return reading.problems.map((problem) => {
    return { ...problem, ...TEXT_START, pointer: pointerIn(problem.pointer) };
  });
}

/** From the step that the defaults are read as to themselves. */
function pointerIn(pointer: string): string {
  return pointer.replace(/^\/0(?:\/normal(?=\/|$))?/, '');
}

function unknownMember(name: string): Problem {
  const message = `Commands have no default \`${name.slice(0, 60)}\`.`;
  return {
    ...fault(joinPointer('', name), 'UNKNOWN_MEMBER', message),
    hint: nearNameHint(name, MEMBERS),
  };
}

function fault(pointer: string, code: Problem['code'], message: string): Problem {
  const hint = 'Write for example {"timeout": "5m", "retry": 2}.';
  return { ...TEXT_START, pointer, code, message, hint };
}
