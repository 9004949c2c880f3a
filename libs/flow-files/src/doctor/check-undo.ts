import type { Action, StepPlan } from '#core';
import { isHttpRequest } from '#core/flow';
import { clip } from '../read-json.js';
import type { Words } from '../problem.js';
import type { Examination } from './examination.js';
import { type ListView, memberOf } from './list-view.js';

/**
 * Words that commands begin with that change something. Others say nothing: a warning for each
 * check and each report would soon be overlooked.
 */
const CHANGING: ReadonlySet<string> = new Set(
  (
    'add allocate apply assign attach book cancel charge clean clear close commit configure create ' +
    'debit deduct delete deploy detach disable drop enable format grant import increase init ' +
    'initialize insert install launch migrate move open pay provision publish purge push put ' +
    'rebuild refund register release remove rename replace reserve reset resize restart restore ' +
    'revoke rotate scale send set ship start stop store submit subscribe terminate transfer ' +
    'unregister update upgrade upload write'
  ).split(' '),
);

/** Methods of HTTP that change nothing. */
const READING = /^(get|head|options)$/i;

/** How a step ends the way of its list each time it is reached: with the task, or by failing. */
type End = 'task' | 'failure';

// Lists are asked once for each list around them, so their ends are kept.
const ends = new WeakMap<readonly StepPlan[], End | 'open'>();

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

/** Whether a command changes something outside, as far as its name tells. */
export function changesSomething(action: Action): boolean {
  const { command, parameters } = action;
  if (isHttpRequest(action)) {
    const method = parameters?.['method'];
    return typeof method === 'string' && /^[a-z]+$/i.test(method) && !READING.test(method);
  }
  const [first = ''] = command.split(/[-_.]|(?=[A-Z])/);
  return CHANGING.has(first.toLowerCase());
}

/** Warns of pivots after which a step can fail although the flow does not say that it holds. */
export function checkPivots(examination: Examination): void {
  const { definition, lists, origins, warnings } = examination;
  if (definition.onFailure !== undefined && definition.onFailure !== 'rollback') return;
  for (const list of lists) {
    for (const [position, step] of list.steps.entries()) {
      if (step.pivot !== true) continue;
      const weak = failingAfter(list, position);
      if (weak === null) continue;
      const message =
        `Step \`${clip(weak.name)}\` can fail after this point of no return,` +
        ' and then a person is called.';
      const mend = weak.loop ? 'put this one behind it' : 'give the step a `catch` or `optional`';
      const hint = `Write "onFailure": "hold" where that is meant, or ${mend}.`;
      const pointer = memberOf(step, origins, 'pivot');
      warnings.add({ pointer, code: 'PIVOT_WITHOUT_HOLD', message, hint });
    }
  }
}

/**
 * The first step that can fail when a step has succeeded: one that does not come before it, in its
 * list, in branches beside it or in those around. Of a loop the next round can, or the end of all
 * rounds, which nothing catches behind a pivot.
 */
function failingAfter(list: ListView, position: number): StepPlan | null {
  const { holder, order, steps } = list;
  const open = steps.filter((_step, i) => i !== position && !order.isBefore(i, position));
  const found = [...open, ...besides(list)].find(canFail);
  if (found !== undefined || holder === null) return found ?? null;
  const around = holder.list.steps[holder.position];
  const isAgain = around?.loop?.steps === steps && !isOnce(around.loop);
  return isAgain ? around : failingAfter(holder.list, holder.position);
}

/** The steps of the branches that run beside a list. */
export function besides({ holder, kind, steps }: ListView): readonly StepPlan[] {
  if (holder === null || kind !== 'branch') return [];
  const branches = holder.list.steps[holder.position]?.parallel ?? [];
  return branches.flatMap((branch) => (branch.steps === steps ? [] : branch.steps));
}

function isOnce({ until, while: again }: NonNullable<StepPlan['loop']>): boolean {
  return until === true || again === false;
}

/** Whether a step can fail for good, besides by an expression. */
export function canFail(step: StepPlan): boolean {
  if (step.optional === true) return false;
  const clauses = step.catch ?? [];
  const isCaught = clauses.some(({ errors }) => errors.includes('*'));
  if (isCaught) return clauses.some(({ steps }) => steps.some(canFail));
  if (step.set !== undefined || step.succeed !== undefined) return false;
  if (step.wait !== undefined) return canTimeOut(step);
  if (step.group !== undefined) return canTimeOut(step) || step.group.some(canFail);
  if (step.parallel !== undefined) return step.parallel.some(({ steps }) => steps.some(canFail));
  if (step.choice === undefined) return true;
  const lists = [...step.choice.map(({ steps }) => steps), step.otherwise ?? []];
  return lists.some((steps) => steps.some(canFail));
}

/** Whether a group, or a wait for an answer, can fail because its own time is over. */
export function canTimeOut({ approve, timeoutMs = null, wait }: StepPlan): boolean {
  const asks = wait ?? approve;
  if (asks === undefined || !('timeoutMs' in asks)) return timeoutMs !== null;
  return asks.timeoutMs !== null && asks.onTimeout === 'fail';
}

/** Warns of steps that are never reached, as the steps and constants around them have it. */
export function checkEnds({ lists, origins, warnings }: Examination): void {
  const warn = (step: StepPlan, reason: string): void => {
    const message = `Step \`${clip(step.name)}\` is never reached: ${reason}.`;
    const hint = 'Remove it, or let a condition decide whether it is reached.';
    warnings.add({ pointer: memberOf(step, origins), code: 'UNREACHABLE_STEP', message, hint });
  };
  for (const { steps } of lists) {
    for (const step of steps) {
      const last = step.needs.map((need) => steps[need]).find((need) => need && endOf(need));
      const does = last && endOf(last) === 'task' ? 'ends the task' : 'always fails';
      if (last !== undefined) warn(step, `\`${clip(last.name)}\` ${does}`);
      if (step.if === false) warn(step, 'its `if` is false');
      for (const { isDead, steps: inner } of casesOf(step)) {
        if (isDead && inner[0]) warn(inner[0], 'its case is never the first that holds');
      }
    }
  }
}

/** The cases of a choice, and at last `otherwise`; those that are never taken are dead. */
function casesOf({ choice = [], otherwise }: StepPlan) {
  const sure = choice.findIndex(({ when }) => when === true);
  const all = [...choice, { when: null, steps: otherwise ?? [] }];
  return all.map(({ steps, when }, i) => {
    return { steps, isDead: when === false || (sure >= 0 && i > sure) };
  });
}

/** How a step ends the way of its list each time it is reached; null: it does not. */
export function endOf(step: StepPlan): End | null {
  if (step.if !== undefined && step.if !== true) return null;
  const end = ownEndOf(step);
  if (end !== 'failure') return end;
  if (step.optional === true) return null;
  const { catch: clauses = [], fail } = step;
  const codes = fail && [fail.code, 'EXPRESSION_FAILED', '*'];
  const may = clauses.filter(({ errors }) => !codes || errors.some((code) => codes.includes(code)));
  return may.length === 0 ? end : commonEnd(may.map(({ steps }) => steps));
}

/** How any of these lists ends the way; null: one of them does not. */
function commonEnd(lists: readonly (readonly StepPlan[])[]): End | null {
  const ends = lists.map(endOfList);
  if (ends.includes(null)) return null;
  return ends.includes('failure') ? 'failure' : 'task';
}

function ownEndOf(step: StepPlan): End | null {
  if (step.succeed !== undefined) return 'task';
  if (step.fail !== undefined) return 'failure';
  if (step.group !== undefined) return endOfList(step.group);
  if (step.loop !== undefined) {
    const { steps, until, while: again } = step.loop;
    return endOfList(steps) ?? (again === true || until === false ? 'failure' : null);
  }
  if (step.parallel !== undefined) {
    return step.parallel.map(({ steps }) => endOfList(steps)).find((end) => end !== null) ?? null;
  }
  if (step.choice === undefined) return null;
  const open = casesOf(step).filter(({ isDead }) => !isDead);
  return commonEnd(open.map(({ steps }) => steps));
}

function endOfList(steps: readonly StepPlan[]): End | null {
  const known = ends.get(steps);
  if (known !== undefined) return known === 'open' ? null : known;
  let end: End | null = null;
  for (const step of steps) end ??= endOf(step);
  ends.set(steps, end ?? 'open');
  return end;
}
