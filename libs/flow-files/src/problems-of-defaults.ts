import type { JsonObject, JsonValue } from '#core';
import { isObject } from './json-document.js';
import { joinPointer } from './json-pointer.js';
import { nearNameHint } from './near-name-hint.js';
import { parseFlow } from './parse-flow.js';
import { type Problem, TEXT_START } from './problem.js';

/** A command and the defaults to store for it. */
interface DefaultsOrder {
  readonly module: string;
  readonly command: string;
  readonly defaults: JsonValue;
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
