import { beforeEach, describe, expect, it } from '@jest/globals';
import { childrenToTend, tallyAt } from '../children/children.js';
import { wholeTally } from '../children/child-rounds.js';
import type { TaskEvent } from '../task/event.js';
import type { StepPlan } from '../flow/flow.js';
import type { ChildCounts, ChildrenAnew } from '../task/parent.js';
import { parametersFor } from '../values/parameters.js';
import { Play, step } from './play-spec.js';

const PERSON = { actor: 'ann', reason: 'why', key: null } as const;
const NONE: ChildCounts = { found: 0, succeeded: 0, failed: 0, active: 0, held: 0 };

const EACH: StepPlan = {
  name: 'each',
  needs: [],
  foreach: {
    in: ['x', 'y', 'z'],
    as: 'item',
    concurrency: 3,
    successPercent: 50,
    steps: [step('a', [])],
    flow: null,
    parameters: null,
  },
};

let play: Play;

function count(run: string, more: Partial<ChildCounts>, told: Partial<Counted> = {}): Play {
  return play.do({ kind: 'children_counted', run, counts: { ...NONE, ...more }, ...told });
}

type Counted = Extract<TaskEvent, { kind: 'children_counted' }>;

/** The first action that is queued succeeds. */
function succeed(): void {
  const [next] = play.last.queued;
  if (next === undefined) throw new Error('nothing is queued');
  play.do({ kind: 'claimed', ...next.ref, attempt: next.attempt, owner: 'e' });
  play.do({ kind: 'succeeded', ...next.ref, token: play.task.token, output: null });
}

function reset(children: ChildrenAnew, to = 'each') {
  return { kind: 'reset_requested', ...PERSON, to, children } as const;
}

beforeEach(() => {
  play = new Play({ steps: [EACH, step('after', [0])] });
  count('each#1', {});
  count('each#1', { found: 3, succeeded: 2, failed: 1 }, { results: [] });
  succeed();
});

describe('a reset that keeps child tasks', () => {
  it('undoes only what needs the step, and then begins a further round of it', () => {
    play.do(reset('failed'));
    expect([play.status, play.sent]).toEqual(['rolling_back', ['undo_after']]);
    expect(play.task.turned).toMatchObject({ why: 'reset', to: 0, children: 'failed' });
    expect(play.task.runs[0]).toMatchObject({
      normal: { state: 'succeeded' },
      rollback: { state: 'none' },
    });
    succeed();
    expect(play.task.runs[0]).toMatchObject({ generation: 1, normal: { state: 'running' } });
    expect(play.task.runs[1]).toMatchObject({ generation: 2, normal: { state: 'pending' } });
    expect(childrenToTend(play.task)).toMatchObject([
      { run: 'each#2', isUnchosen: true, tally: { total: 1, started: 0 } },
    ]);
    count('each#2', {}, { chosen: [1] });
    count('each#2', { found: 1, succeeded: 1 }, { results: [] });
    expect(play.sent).toEqual(['after']);
    expect(play.task.runs[0]?.normal.output).toMatchObject({ succeeded: 3, failed: 0 });
  });

  it('undoes what needs the step with the output that this saw, whatever a person changes', () => {
    const undo = { direction: 'rollback', step: 1 } as const;
    const before = parametersFor(play.task, undo);
    expect(before).toMatchObject({ each: { succeeded: 2, failed: 1 } });
    play.do({ ...reset('failed'), parameters: { zone: 'b' } });
    expect(parametersFor(play.task, undo)).toEqual(before);
  });

  it('begins nothing in the place of a child task before that is undone', () => {
    play.do(reset({ run: 'each#1', index: 2, isDone: true }));
    succeed();
    const replaces = { run: 'each#1', index: 2 };
    expect(childrenToTend(play.task)).toMatchObject([{ numbers: [2], replaces }]);
    const whole = wholeTally(tallyAt(play.task, 0)!);
    expect(whole).toMatchObject({ total: 3, started: 2, succeeded: 1, failed: 1 });
    count('each#2', { held: 1 });
    expect(childrenToTend(play.task)).toMatchObject([{ replaces, tally: { started: 0 } }]);
    count('each#2', {}, { isReplaced: true });
    expect(childrenToTend(play.task)).toMatchObject([{ replaces: null, tally: { started: 1 } }]);
  });

  it('is refused for what cannot be kept', () => {
    const codes = [
      play.decide(reset('failed', 'after')),
      play.decide(reset({ run: 'each#9', index: 0 })),
      play.do(reset('failed')).decide(reset('failed')),
    ].map((decision) => (decision.kind === 'refused' ? decision.code : decision.kind));
    expect(codes).toEqual(['ILLEGAL_ACTION', 'NO_SUCH_CHILD', 'ILLEGAL_ACTION']);
  });
});

it('a reset may name the present run of a step of the task', () => {
  play = new Play({ steps: [step('a', [])] });
  const to = (name: string) => ({ kind: 'reset_requested', ...PERSON, to: name }) as const;
  succeed();
  play.do(to('a'));
  succeed();
  succeed();
  expect(play.decide(to('a~3'))).toMatchObject({ code: 'NO_SUCH_STEP' });
  play.do(to('a~2'));
  expect([play.status, play.sent]).toEqual(['rolling_back', ['undo_a']]);
});
