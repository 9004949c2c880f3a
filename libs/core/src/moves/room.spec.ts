import { askedIn } from '../transitions/effect.js';
import { describe, expect, it } from '@jest/globals';
import { type Action, NO_RETRY } from '../flow/action.js';
import { createTask } from '../transitions/create-task.js';
import { DEFAULT_TIMING, type Moment, type TaskEvent } from '../task/event.js';
import { FAILURE_CODES } from '../task/failure.js';
import type { StepPlan } from '../flow/flow.js';
import type { JsonObject } from '../json/json.js';
import type { AnswerValues } from '../task/question.js';
import { runIdOf } from '../scopes/run-id.js';
import type { Task } from '../task/task.js';
import { DEFAULT_LIMITS } from '../task/task-size.js';
import { type Moved, transition } from '../transitions/transition.js';
import type { ActionRef } from '../task/action-ref.js';
import { questionOf } from '../kinds/question-of.js';

const MOST = 20;
const moment: Moment = {
  now: 1_000,
  chance: 0,
  timing: DEFAULT_TIMING,
  limits: { ...DEFAULT_LIMITS, runs: MOST },
};
const ACTION: Action = {
  module: 'm',
  command: 'go',
  timeoutMs: 60_000,
  attemptTimeoutMs: null,
  retry: NO_RETRY,
  onCrash: 'fail',
  parameters: null,
};

function command(name: string, needs: readonly number[] = []): StepPlan {
  return { name, needs, normal: ACTION, rollback: ACTION };
}

/** So many commands, one after the other. */
function chain(count: number): readonly StepPlan[] {
  return Array.from({ length: count }, (_, n) => command(`c${n}`, n === 0 ? [] : [n - 1]));
}

/** How a task is played: what its templates come to, and which runs fail. */
interface Course {
  readonly answers?: AnswerValues;
  readonly fails?: (id: string) => boolean;
}

/** Plays a task to its end, or until nothing is left to do; the log says what was carried out. */
function play(
  steps: readonly StepPlan[],
  { answers = { while: true }, fails = () => false }: Course = {},
): { readonly task: Task; readonly log: readonly string[] } {
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const log: string[] = [];
  const open: ActionRef[] = [];
  let last = createTask({ definition, version: 1 }, { parameters: {} }, { taskId: 't', moment });
  const apply = (event: TaskEvent): void => {
    const decision = transition(last.task, event, { moment });
    if (decision.kind !== 'moved') throw new Error(JSON.stringify([event, decision]));
    last = decision;
    note(last);
  };
  const asked: ActionRef[] = [];
  const note = (moved: Moved): void => {
    const { runs, scopes } = moved.task;
    expect(runs.length + scopes.length).toBeLessThanOrEqual(MOST);
    open.push(...moved.queued.map(({ ref }) => ref));
    asked.push(...askedIn(moved.effects));
  };
  note(last);
  for (;;) {
    const question = asked.shift();
    if (question !== undefined) {
      const { id = '' } = questionOf(last.task, question) ?? {};
      apply({ kind: 'answered', ...question, question: id, answer: { values: answers } });
      continue;
    }
    const ref = open.shift();
    if (ref === undefined) return { task: last.task, log };
    apply({ kind: 'claimed', ...ref, attempt: 1, owner: 'me' });
    const id = `${ref.direction === 'rollback' ? '-' : ''}${runIdOf(last.task, ref.step)}`;
    log.push(id);
    const end = { ...ref, token: last.task.token };
    if (!fails(id)) apply({ kind: 'succeeded', ...end, output: null });
    else apply({ kind: 'failed', ...end, terminal: true, failure: 'FAILED', message: 'no' });
  }
}

function codeAt({ runs }: Task, place: number): number | undefined {
  return runs[place]?.normal.code;
}

describe('a task that has as many runs and scopes as it may have', () => {
  it('fails at the round that it has no room for, and undoes all others, last first', () => {
    const loop = { steps: [command('x')], while: '{% x %}', until: null, max: 1_000, delay: null };
    const { log, task } = play([{ name: 's', needs: [], loop }]);
    const done = log.filter((id) => !id.startsWith('-'));
    expect(done).toHaveLength(9);
    expect(log).toEqual([...done, ...done.toReversed().map((id) => `-${id}`)]);
    expect(task.outcome).toBe('rolled_back');
    expect(codeAt(task, 0)).toBe(FAILURE_CODES.TASK_TOO_LARGE);
    expect(task.message).toContain('21 runs and scopes, at most 20 are allowed');
  });

  it('fails where loops that lie in each other multiply', () => {
    const rounds = { while: '{% x %}', until: null, max: 3, delay: null };
    const inner = { name: 'in', needs: [], loop: { steps: [command('x')], ...rounds } };
    const answers = { while: true };
    const { log, task } = play([{ name: 'out', needs: [], loop: { steps: [inner], ...rounds } }], {
      answers,
    });
    expect(task.outcome).toBe('rolled_back');
    expect(log.filter((id) => id.startsWith('-'))).toHaveLength(log.length / 2);
  });

  const list = chain(MOST);
  const made = list.map((step) => ({ ...step })) as unknown as readonly JsonObject[];
  const empty = { name: 's', needs: [0] };
  it.each<readonly [string, StepPlan, AnswerValues]>([
    ['group', { ...empty, group: list, retry: NO_RETRY, timeoutMs: null }, {}],
    [
      'case',
      { ...empty, choice: [{ name: 'a', when: '{% x %}', steps: list }], otherwise: null },
      { when: 0 },
    ],
    ['branch', { ...empty, parallel: [{ name: 'a', steps: list }], onBranchFailure: 'wait' }, {}],
    ['list of dynamic steps', { ...empty, dynamic: { steps: '{% x %}' } }, { steps: [...made] }],
  ])('fails at the %s that it has no room for, and undoes what was before', (_, step, answers) => {
    const { log, task } = play([command('a'), step], { answers });
    expect(log).toEqual(['a', '-a']);
    expect(task.outcome).toBe('rolled_back');
    expect(codeAt(task, 1)).toBe(FAILURE_CODES.TASK_TOO_LARGE);
  });

  it('fails at child tasks when nothing is left for their scope', () => {
    const children = {
      name: 's',
      needs: [MOST - 2],
      flow: { name: 'f', version: null, parameters: null },
    };
    const { log, task } = play([...chain(MOST - 1), children], { answers: { name: 'f' } });
    expect(log).toHaveLength(2 * (MOST - 1));
    expect(task.outcome).toBe('rolled_back');
    expect(codeAt(task, MOST - 1)).toBe(FAILURE_CODES.TASK_TOO_LARGE);
  });

  it('tries a group again, which takes the place of the try before', () => {
    const retry = { ...NO_RETRY, attempts: 3 };
    const group = { name: 's', needs: [], group: chain(MOST - 2), retry, timeoutMs: null };
    const { task } = play([group], { fails: (id) => id === 's#1/c1' || id === 's#2/c0' });
    expect(task.outcome).toBe('succeeded');
    expect(task.scopes).toHaveLength(1);
  });

  it('goes back from a step whose error it has no room to catch', () => {
    const clause = { errors: ['*'], as: null, steps: list };
    const caught: StepPlan = { ...command('b', [0]), catch: [clause] };
    const { log, task } = play([command('a'), caught], { fails: (id) => id === 'b' });
    expect(log).toEqual(['a', 'b', '-b', '-a']);
    expect(task.outcome).toBe('rolled_back');
    expect(codeAt(task, 1)).toBe(FAILURE_CODES.FAILED);
    expect(task.message).toContain('nothing catches it');
  });

  it('passes over a step that is optional', () => {
    const optional: StepPlan = {
      name: 's',
      needs: [],
      group: list,
      retry: NO_RETRY,
      timeoutMs: null,
      optional: true,
    };
    const { log, task } = play([optional, command('z', [0])]);
    expect(log).toEqual(['z']);
    expect(task.outcome).toBe('succeeded');
  });
});
