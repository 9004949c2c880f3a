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
      const weakness = normal && rollback ? weaknessOf(rollback, normal) : null;
      if (weakness !== null) {
        const pointer = memberOf(step, origins, 'rollback');
        warnings.add({ pointer, ...weakRollback(step, weakness) });
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

/**
 * How a rollback is weaker than what it undoes; null: it is not. Less time alone says nothing: most
 * things are removed sooner than they are made.
 */
function weaknessOf(rollback: Action, normal: Action): string | null {
  const { attempts, never, only } = rollback.retry;
  if (attempts < normal.retry.attempts) {
    return `has ${counted(attempts)}, and what it undoes has ${normal.retry.attempts}`;
  }
  const isSelective = only !== undefined || never !== undefined;
  const isForwardSelective = normal.retry.only !== undefined || normal.retry.never !== undefined;
  if (normal.retry.attempts === 1 || !isSelective || isForwardSelective) return null;
  return 'is not tried again after every error, and what it undoes is';
}

function counted(attempts: number): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`;
}

type Words = Pick<Finding, 'code' | 'message' | 'hint'>;

function noRollback({ name }: StepPlan): Words {
  const message = `Step \`${clip(name)}\` changes something and has no \`rollback\`.`;
  const hint = 'Say how to undo it, or write "rollback": null where that is meant.';
  return { code: 'NO_ROLLBACK', message, hint };
}

function weakRollback({ name }: StepPlan, weakness: string): Words {
  const message = `The rollback of \`${clip(name)}\` ${weakness}.`;
  const hint = 'A rollback that fails calls a person: give its `retry` at least as much.';
  return { code: 'WEAK_ROLLBACK', message, hint };
}

function repeated({ name }: StepPlan): Words {
  const message = `Step \`${clip(name)}\` is repeated by a loop and cannot be undone.`;
  const hint = 'Put it behind the loop, or give it a rollback.';
  return { code: 'IRREVERSIBLE_LOOP', message, hint };
}
