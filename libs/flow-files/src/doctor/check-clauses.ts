import { planValues, type StepPlan } from '#core';
import { declarationOf } from '#core/flow';
import { clip } from '../read-json.js';
import { joinPointer } from '../json-pointer.js';
import { canTimeOut } from './check-undo.js';
import type { Words } from '../problem.js';
import type { Examination } from './examination.js';
import { heldLists, memberOf } from './list-view.js';

/** Codes of errors; with `*` all but the others, as a command names its errors itself. */
type Errors = ReadonlySet<string>;

/** Errors that any step may have: its expressions fail, or the task cannot hold its output. */
const OF_ANY: Errors = new Set(['EXPRESSION_FAILED', 'OUTPUT_TOO_LARGE']);
/** Errors of steps whose time can be over. */
const OF_TIME: Errors = new Set(['SIGNAL_TIMEOUT', 'TIMED_OUT']);

// A step is asked about once for each `catch` around it.
const known = new WeakMap<StepPlan, Errors>();

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
          else if (!has(errorsBeforeCatch(step), error))
            warnings.add({ pointer, ...foreign(step, error) });
        }
      }
      for (const error of errors) caught.add(error);
    }
  }
}

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
  const errors = errorsBeforeCatch(step);
  const own = [...errors].slice(0, NAMED_MAX).map((code) => `\`${clip(code)}\``);
  const hint = errors.has('*') ? CAUGHT : `It may have ${own.join(', ')}: name one of these.`;
  return { code: 'CATCH_NEVER_MATCHES', message, hint };
}

const CAUGHT = 'Steps in it catch this error themselves: remove it here, or there.';

/** The errors that the `catch` of a step may meet: its own, and those of the steps in it. */
function errorsBeforeCatch(step: StepPlan): Errors {
  const found = known.get(step) ?? workOut(step);
  known.set(step, found);
  return found;
}

function workOut(step: StepPlan): Errors {
  // Child tasks keep their errors to themselves.
  const lists = heldLists(step).filter(({ kind }) => kind !== 'catch' && kind !== 'foreach');
  const inner = lists.flatMap(({ steps }) => steps.map(errorsOf));
  return [ownErrors(step), ...inner].reduce(joined, OF_ANY);
}

/** The errors that a step may end with: those that it does not catch, and those of its clauses. */
function errorsOf(step: StepPlan): Errors {
  if (step.optional === true) return new Set();
  const clauses = step.catch ?? [];
  const caught = new Set(clauses.flatMap(({ errors }) => errors));
  const left = without(errorsBeforeCatch(step), caught);
  return clauses.flatMap(({ steps }) => steps.map(errorsOf)).reduce(joined, left);
}

function has(errors: Errors, code: string): boolean {
  return code === '*' || errors.has(code) !== errors.has('*');
}

function joined(one: Errors, other: Errors): Errors {
  if (!one.has('*') && !other.has('*')) return new Set([...one, ...other]);
  const [open, more] = one.has('*') ? [one, other] : [other, one];
  return new Set([...open].filter((code) => code === '*' || !has(more, code)));
}

function without(errors: Errors, caught: Errors): Errors {
  if (caught.has('*')) return new Set();
  if (errors.has('*')) return new Set([...errors, ...caught]);
  return new Set([...errors].filter((code) => !caught.has(code)));
}

function ownErrors(step: StepPlan): Errors {
  const { errors } = declarationOf(step);
  if (errors === null) return new Set(['*']);
  const named = [...planValues(step)].filter(({ member }) => member.type === 'code');
  const own = errors.filter((code) => canTimeOut(step) || !OF_TIME.has(code));
  return new Set([...own, ...named.map(({ value }) => value as string)]);
}
