import type { StepPlan } from '#core';
import { clip } from '../json-document.js';
import { joinPointer } from '../json-pointer.js';
import type { Finding } from '../problem.js';
import { errorsBeforeCatch } from './errors-of.js';
import type { Examination } from './examination.js';
import { memberOf } from './list-view.js';

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
