import type { JsonValue } from '#core';
import { at } from '../code.js';
import type { Step } from '../step.js';
import { codeOf, coded, type Data } from './data.js';
import { differing, isSame, type Known, type Scope } from './document.js';
import { writeData } from './values.js';

/** Steps of a list inside a step, and what is known at their end; null: they end the task. */
export interface Walked {
  readonly steps: Step[];
  readonly known: Known | null;
}

/**
 * The document and variables after a choice. Only the output of a step is visible outside its list:
 * where cases leave different documents, each case ends with a `set` of its own.
 */
export function joinCases(
  name: string,
  before: Known,
  { cases, scope }: { cases: readonly Walked[]; scope: Scope },
): Known | null {
  const live = cases.flatMap(({ known }) => (known === null ? [] : [known]));
  if (live.length === 0) return null;
  if (live.every((known) => isSame(known, before))) return before;
  const names = differing([before, ...live]);
  for (const { known, steps } of cases) {
    if (known !== null) steps.push(resultStep(name, known, { names, scope }));
  }
  const output = at('$steps', [name]);
  return knownBy(before, names, (member) => coded(at(output, [member])));
}

/** The document and variables after a step, joined with those at the end of its catches. */
export function joinCaught(
  name: string,
  after: Known,
  { caught, scope }: { caught: readonly Walked[]; scope: Scope },
): Known {
  const live = caught.flatMap(({ known }) => (known === null ? [] : [known]));
  if (live.length === 0) return after;
  const names = differing([after, ...live]);
  const member = `caught_${name}`;
  for (const { known, steps } of caught) {
    if (known === null) continue;
    const set = { [member]: valuesOf(known, { names, scope }) };
    steps.push({ name: scope.names.make(`${name}-caught`), set });
  }
  const output = at('$steps', [name, member]);
  return knownBy(after, names, (part) => {
    const usual = part === RESULT ? after.data : after.variables.get(part.slice(VARIABLE.length));
    const found = at(output, [part]);
    const other = usual === undefined ? 'null' : codeOf(usual);
    return coded(`($exists(${output}) ? ${found} : ${other})`);
  });
}

/** The last step of a list whose result is used elsewhere: a `set` of this result. */
export function resultStep(
  name: string,
  known: Known,
  { names, scope }: { names: readonly string[]; scope: Scope },
): Step {
  return { name: scope.names.make(`${name}-result`), set: valuesOf(known, { names, scope }) };
}

/** Under which name a list gives its document. */
export const RESULT = 'result';
const VARIABLE = 'variable_';

function valuesOf(
  { data, variables }: Known,
  { names, scope }: { names: readonly string[]; scope: Scope },
): Record<string, JsonValue> {
  const write = (value: Data): JsonValue => writeData(value, { scope }, '');
  const own = names.map((each): [string, JsonValue] => {
    const value = variables.get(each);
    return [`${VARIABLE}${each}`, value === undefined ? null : write(value)];
  });
  return { [RESULT]: write(data), ...Object.fromEntries(own) };
}

function knownBy(before: Known, names: readonly string[], read: (part: string) => Data): Known {
  const variables = new Map(before.variables);
  for (const each of names) variables.set(each, read(`${VARIABLE}${each}`));
  return { data: read(RESULT), variables };
}
