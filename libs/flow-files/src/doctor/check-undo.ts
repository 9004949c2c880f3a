import type { Action, StepPlan } from '#core';
import { clip } from '../json-document.js';
import type { Finding } from '../problem.js';
import { changesSomething } from './changing.js';
import type { Examination } from './examination.js';
import { type ListView, memberOf } from './list-view.js';

/** Warns of what is not undone, or undone with less effort than it was done, or done again. */
export function checkUndo(examination: Examination): void {
  const { lists, origins, warnings } = examination;
  const undone = commandsUndone(lists);
  const mustBeUndone = (step: StepPlan): boolean => {
    const { normal } = step;
    return normal !== undefined && (undone.has(keyOf(normal)) || changesSomething(normal));
  };
  for (const list of lists) {
    for (const step of list.steps) {
      const { normal, rollback } = step;
      const written = origins.get(step)?.written;
      const isUnsaid = written?.normal !== undefined && written.rollback === undefined && !rollback;
      if (isUnsaid && step.pivot !== true && mustBeUndone(step)) {
        warnings.add({ pointer: memberOf(step, origins), ...noRollback(step) });
      }
      if (normal && rollback && isWeaker(rollback, normal)) {
        warnings.add({ pointer: memberOf(step, origins, 'rollback'), ...weakRollback(step) });
      }
      const isForGood = step.pivot === true || (!rollback && mustBeUndone(step));
      if (isForGood && isRepeated(list)) {
        warnings.add({ pointer: memberOf(step, origins), ...repeated(step) });
      }
    }
  }
}

/** Commands that have a rollback in some step of the flow, and so change something. */
function commandsUndone(lists: readonly ListView[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { normal, rollback } of lists.flatMap(({ steps }) => steps)) {
    if (normal && rollback) keys.add(keyOf(normal));
  }
  return keys;
}

function keyOf({ command, module }: Action): string {
  return `${module}/${command}`;
}

/** Whether a list lies in a loop, however deep. */
function isRepeated(list: ListView): boolean {
  for (let at: ListView | undefined = list; at !== undefined; at = at.holder?.list) {
    if (at.kind === 'loop') return true;
  }
  return false;
}

function isWeaker(rollback: Action, normal: Action): boolean {
  const hasFewer = rollback.retry.attempts < normal.retry.attempts;
  return hasFewer && rollback.timeoutMs < normal.timeoutMs;
}

type Words = Pick<Finding, 'code' | 'message' | 'hint'>;

function noRollback({ name }: StepPlan): Words {
  const message = `Step \`${clip(name)}\` changes something and has no \`rollback\`.`;
  const hint = 'Say how to undo it, or write "rollback": null where that is meant.';
  return { code: 'NO_ROLLBACK', message, hint };
}

function weakRollback({ name }: StepPlan): Words {
  const message = `The rollback of \`${clip(name)}\` has fewer attempts and less time than it.`;
  const hint = 'A rollback that fails calls a person: give it at least as much of both.';
  return { code: 'WEAK_ROLLBACK', message, hint };
}

function repeated({ name }: StepPlan): Words {
  const message = `Step \`${clip(name)}\` is repeated by a loop and cannot be undone.`;
  const hint = 'Put it behind the loop, or give it a rollback.';
  return { code: 'IRREVERSIBLE_LOOP', message, hint };
}
