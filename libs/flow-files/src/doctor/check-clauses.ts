import { planValues, type StepPlan } from '#core';
import { declarationOf } from '#core/flow';
import { clip } from '../read-json.js';
import { joinPointer } from '../json-pointer.js';
import type { Finding } from '../problem.js';
import type { Examination } from './examination.js';
import { heldLists, memberOf } from './list-view.js';

/** Codes of errors; null: any, as a command names its errors itself. */
type Errors = ReadonlySet<string> | null;

/** Errors that any step may have: its expressions fail, or the task cannot hold its output. */
const OF_ANY: readonly string[] = ['EXPRESSION_FAILED', 'OUTPUT_TOO_LARGE'];

// A step is asked about once for each `catch` around it.
const known = new WeakMap<StepPlan, { readonly errors: Errors }>();

/** Warns of a `catch` that never matches: one above it does, or its step has no such error. */
export function checkClauses({ lists, origins, warnings }: Examination): void {
  for (const step of lists.flatMap(({ steps }) => steps)) {
    const caught = new Set<string>();
    for (const [i, { errors }] of (step.catch ?? []).entries()) {
      const at = memberOf(step, origins, 'catch', i, 'errors');
      const isLost = (error: string): boolean => caught.has('*') || caught.has(error);
      if (errors.every(isLost)) warnings.add({ pointer: at, ...lost('This `catch`') });
      else {
        for (const [j, error] of errors.entries()) {
          const pointer = joinPointer(at, j);
          if (isLost(error)) warnings.add({ pointer, ...lost(`\`${clip(error)}\``) });
          else if (!mayHave(step, error)) warnings.add({ pointer, ...foreign(step, error) });
        }
      }
      for (const error of errors) caught.add(error);
    }
  }
}

function mayHave(step: StepPlan, error: string): boolean {
  const errors = errorsBeforeCatch(step);
  return error === '*' || errors === null || errors.has(error);
}

type Words = Pick<Finding, 'code' | 'message' | 'hint'>;

function lost(subject: string): Words {
  const message = `${subject} never matches: one above it catches the same errors.`;
  const hint = 'Remove it, or put it above the one that names more errors.';
  return { code: 'CATCH_NEVER_MATCHES', message, hint };
}

/** More codes than a sentence should name. */
const NAMED_MAX = 8;

function foreign(step: StepPlan, error: string): Words {
  const name = clip(step.name);
  const message = `\`${clip(error)}\` never matches: \`${name}\` has no such error.`;
  const own = [...(errorsBeforeCatch(step) ?? [])].slice(0, NAMED_MAX);
  const hint = `It may have ${own.map((code) => `\`${clip(code)}\``).join(', ')}: name one of these.`;
  return { code: 'CATCH_NEVER_MATCHES', message, hint };
}

/** The errors that the `catch` of a step may meet: its own, and those of the steps in it. */
function errorsBeforeCatch(step: StepPlan): Errors {
  let found = known.get(step);
  if (found === undefined) {
    found = { errors: workOut(step) };
    known.set(step, found);
  }
  return found.errors;
}

function workOut(step: StepPlan): Errors {
  const own = ownErrors(step);
  if (own === null) return null;
  const errors = new Set([...OF_ANY, ...own]);
  for (const { kind, steps } of heldLists(step)) {
    // Child tasks keep their errors to themselves.
    if (kind === 'catch' || kind === 'foreach') continue;
    for (const found of steps.map(errorsOf)) {
      if (found === null) return null;
      for (const code of found) errors.add(code);
    }
  }
  return errors;
}

/** The errors that a step may end with: those it may meet, and those of steps that catch them. */
function errorsOf(step: StepPlan): Errors {
  let errors = errorsBeforeCatch(step);
  for (const { steps } of step.catch ?? []) {
    for (const found of steps.map(errorsOf)) errors = joined(errors, found);
  }
  return errors;
}

function joined(one: Errors, other: Errors): Errors {
  return one === null || other === null ? null : new Set([...one, ...other]);
}

/** Null: any. */
function ownErrors(step: StepPlan): readonly string[] | null {
  const { errors } = declarationOf(step);
  const named = [...planValues(step)].filter(({ member }) => member.type === 'code');
  // Of the waits, only one for a signal may end without what it waits for.
  if (step.wait !== undefined && !('signal' in step.wait)) return [];
  return errors && [...errors, ...named.map(({ value }) => value as string)];
}
