import { expect, it } from '@jest/globals';
import { NO_RETRY } from '../flow/action.js';
import type { StepPlan } from '../flow/flow.js';
import { placeOf } from '../scopes/run-id.js';
import { questionOf } from '../kinds/question-of.js';
import { DELIVERED_MS } from '../task/lease-terms.js';
import { Play, START, step } from '../transitions/play-spec.js';

const PERSON = { actor: 'ann', reason: 'why', key: null };

it('a task ends early from what caught the failure of a command', () => {
  const early = { name: 'e', needs: [], succeed: { output: null } };
  const clause = { errors: ['*'], as: null, steps: [early, step('y', [0])] };
  const steps = [{ ...step('x', []), rollback: null, catch: [clause] } as StepPlan];
  const play = new Play({ steps });
  const ref = { direction: 'normal', step: 0 } as const;
  play.do({ kind: 'claimed', ...ref, attempt: 1, owner: 'e' });
  const failure = { terminal: true, failure: 'FAILED', message: 'no' } as const;
  play.do({ kind: 'failed', ...ref, token: play.task.token, ...failure });
  expect(play.status).toBe('succeeded');
});

it('a task ends early also where another branch had failed before', () => {
  const early = { name: 'e', needs: [0], succeed: { output: null } };
  const parallel = [
    { name: 'a', steps: [step('x', []), early, step('y', [1])] },
    { name: 'b', steps: [{ name: 'f', needs: [], fail: { code: 'NO', message: 'no' } }] },
  ];
  const all = { parallel, onBranchFailure: 'wait' } as const;
  const play = new Play({ steps: [{ name: 's', needs: [], ...all }] });
  const ref = { direction: 'normal', step: placeOf(play.task, 's#a/x') ?? -1 } as const;
  play.do({ kind: 'claimed', ...ref, attempt: 1, owner: 'e' });
  play.do({ kind: 'succeeded', ...ref, token: play.task.token, output: null });
  expect(play.status).toBe('succeeded');
  expect(play.task.runs[0]).toMatchObject({
    normal: { state: 'succeeded' },
    rollback: { state: 'none' },
  });
  play.do({ kind: 'undo_requested', actor: 'ann', reason: 'why', key: null });
  expect(play.sent).toEqual(['undo_x']);
});

it('a task that ended early beside a failed branch does so again after a reset', () => {
  const parallel = [
    { name: 'a', steps: [{ name: 'e', needs: [], succeed: { output: null } }, step('y', [0])] },
    { name: 'b', steps: [{ name: 'f', needs: [], fail: { code: 'NO', message: 'no' } }] },
  ];
  const play = new Play({ steps: [{ name: 's', needs: [], parallel, onBranchFailure: 'wait' }] });
  expect(play.status).toBe('succeeded');
  play.do({ kind: 'reset_requested', ...PERSON, to: 's' });
  expect(play.status).toBe('succeeded');
  expect(play.task.runs[0]).toMatchObject({ generation: 2, normal: { state: 'succeeded' } });
});

it('a task goes on everywhere once the step that ended it early is undone', () => {
  const early = { name: 'e', needs: [0], succeed: { output: null } };
  const parallel = [
    { name: 'a', steps: [step('x', []), step('y', []), early] },
    { name: 'b', steps: [step('z', [])] },
  ];
  const all = { parallel, onBranchFailure: 'wait' } as const;
  const play = new Play({ steps: [{ name: 's', needs: [], ...all }] });
  const at = (name: string) => placeOf(play.task, name) ?? -1;
  const take = (name: string) => {
    const ref = { direction: 'normal', step: at(name) } as const;
    play.do({ kind: 'claimed', ...ref, attempt: 1, owner: 'e' });
    return { ...ref, token: play.task.token };
  };
  const [x, y] = [take('s#a/x'), take('s#a/y')];
  play.do({ kind: 'succeeded', ...x, output: null });
  expect(play.task.runs[at('s#b/z')]?.normal.state).toBe('pending');
  play.do({ kind: 'failed', ...y, terminal: true, failure: 'FAILED', message: 'no' });
  expect(play.sent).toEqual(['z']);
  play.do({ kind: 'succeeded', ...take('s#b/z'), output: null });
  expect([...play.sent].sort()).toEqual(['undo_x', 'undo_y']);
});

it('a branch that waits again after the task did not end early is undone all the same', () => {
  const early = { name: 'e', needs: [0], succeed: { output: null } };
  const inner = [step('x', []), early, step('y', [])];
  const optional = { optional: true, retry: NO_RETRY, timeoutMs: null } as const;
  const group: StepPlan = { name: 'g', needs: [], group: inner, ...optional };
  const locked = { ...step('z', []), locks: [{ name: 'l', slots: 1 }] };
  const parallel = [
    { name: 'a', steps: [group, step('w', [0])] },
    { name: 'b', steps: [locked] },
  ];
  const all = { parallel, onBranchFailure: 'wait' } as const;
  const play = new Play({ steps: [{ name: 's', needs: [], ...all }] });
  const lock = () => play.do({ kind: 'locks_held', number: play.task.locks[0]?.number ?? -1 });
  const take = (name: string, direction: 'normal' | 'rollback' = 'normal') => {
    const ref = { direction, step: placeOf(play.task, name) ?? -1 };
    play.do({ kind: 'claimed', ...ref, attempt: 1, owner: 'e' });
    return { ...ref, token: play.task.token };
  };
  const failed = { kind: 'failed', terminal: true, failure: 'FAILED', message: 'no' } as const;
  lock();
  const [x, y, z] = [take('s#a/g#1/x'), take('s#a/g#1/y'), take('s#b/z')];
  play.do({ ...failed, ...z });
  expect(play.task.locks).toEqual([]);
  play.do({ kind: 'succeeded', ...x, output: null });
  expect(play.task.locks).toMatchObject([{ run: 's#b/z', heldAt: null }]);
  play.do({ ...failed, ...y });
  expect(play.task.locks).toEqual([]);
  for (const name of ['s#a/g#1/x', 's#a/g#1/y']) {
    play.do({ kind: 'succeeded', ...take(name, 'rollback'), output: null });
  }
  play.do({ kind: 'succeeded', ...take('s#a/w'), output: null });
  lock();
  expect(play.sent).toContain('undo_z');
});

it('a step that only waits for the early end of the task lets go of its locks', () => {
  const early = { name: 'e', needs: [1], succeed: { output: null } };
  const locked = { needs: [], locks: [{ name: 'l', slots: 1 }] };
  const approve = { title: 'may it?', roles: [], timeoutMs: null, onTimeout: 'fail' } as const;
  const question: StepPlan = { name: 'q', ...locked, approve, rollback: null };
  const parallel = [
    { name: 'a', steps: [question, step('x', []), early, step('y', [2])] },
    { name: 'b', steps: [{ ...step('z', []), ...locked }] },
  ];
  const all = { parallel, onBranchFailure: 'wait' } as const;
  const play = new Play({ steps: [{ name: 's', needs: [], ...all }] });
  const lock = (id: string) => {
    const { number } = play.task.locks.find(({ run }) => run === id)!;
    play.do({ kind: 'locks_held', number });
  };
  const take = (name: string) => {
    const ref = { direction: 'normal', step: placeOf(play.task, name) ?? -1 } as const;
    play.do({ kind: 'claimed', ...ref, attempt: 1, owner: 'e' });
    return { ...ref, token: play.task.token };
  };
  lock('s#b/z');
  const [x, z] = [take('s#a/x'), take('s#b/z')];
  play.do({ kind: 'failed', ...z, terminal: true, failure: 'FAILED', message: 'no' });
  lock('s#a/q');
  expect(play.sent).toEqual([]);
  play.do({ kind: 'succeeded', ...x, output: null });
  expect(play.task.locks.map(({ run }) => run)).toEqual(['s#b/z']);
  lock('s#b/z');
  expect(play.sent).toEqual(['undo_z']);
  const person = { actor: 'ann', reason: 'why', key: null } as const;
  play.do({ kind: 'judged', ...person, step: 's#a/q', isApproved: true });
  expect(play.task.runs[placeOf(play.task, 's#a/q') ?? -1]?.normal.state).toBe('succeeded');
});

it('a step that was ended early is undone only with its locks', () => {
  const early = { name: 'e', needs: [0], succeed: { output: null } };
  const parallel = [
    { name: 'a', steps: [step('x', []), early] },
    { name: 'b', steps: [step('y', [])] },
  ];
  const all = { parallel, onBranchFailure: 'wait', locks: [{ name: 'l', slots: 1 }] } as const;
  const play = new Play({ steps: [{ name: 's', needs: [], ...all }] });
  const lock = () => play.do({ kind: 'locks_held', number: play.task.locks[0]?.number ?? -1 });
  lock();
  const ref = { direction: 'normal', step: placeOf(play.task, 's#a/x') ?? -1 } as const;
  play.do({ kind: 'claimed', ...ref, attempt: 1, owner: 'e' });
  play.do({ kind: 'succeeded', ...ref, token: play.task.token, output: null });
  expect([play.status, play.task.locks]).toEqual(['succeeded', []]);
  play.do({ kind: 'undo_requested', actor: 'ann', reason: 'why', key: null });
  expect([play.sent, play.task.runs[0]?.rollback?.state]).toEqual([[], 'pending']);
  expect(lock().sent).toEqual(['undo_x']);
});

it('a step that fails while the task is about to end is undone once it has its locks again', () => {
  const early = { name: 'e', needs: [0], succeed: { output: null } };
  const locked = { needs: [], locks: [{ name: 'l', slots: 1 }] };
  const approve = { title: 'may it?', roles: [], timeoutMs: null, onTimeout: 'fail' } as const;
  const { rollback = null } = step('q', []);
  const question: StepPlan = { name: 'q', ...locked, approve, rollback, optional: true };
  const parallel = [{ name: 'a', steps: [step('x', []), step('y', []), early, question] }];
  const play = new Play({ steps: [{ name: 's', needs: [], parallel, onBranchFailure: 'wait' }] });
  const at = (name: string) => placeOf(play.task, name) ?? -1;
  const take = (name: string, direction: 'normal' | 'rollback' = 'normal') => {
    const { attempts } = play.task.runs[at(name)]![direction]!;
    const ref = { direction, step: at(name) } as const;
    play.do({ kind: 'claimed', ...ref, attempt: attempts + 1, owner: 'e' });
    return { ...ref, token: play.task.token };
  };
  const lock = () => play.do({ kind: 'locks_held', number: play.task.locks[0]?.number ?? -1 });
  lock();
  const [x, y] = [take('s#a/x'), take('s#a/y')];
  play.do({ kind: 'succeeded', ...x, output: null });
  expect(play.task.locks).toEqual([]);
  play.do({ kind: 'judged', step: 's#a/q', isApproved: false, ...PERSON });
  expect(play.sent).toEqual([]);
  play.do({ kind: 'succeeded', ...y, output: null });
  expect(play.status).toBe('running');
  lock();
  expect(play.sent).toEqual(['undo_q']);
  play.do({ kind: 'succeeded', ...take('s#a/q', 'rollback'), output: null });
  expect(play.task).toMatchObject({ outcome: 'succeeded', locks: [] });
});

it('nothing starts beside the end of a task that waits for a person, and a retry ends it', () => {
  const early: StepPlan = { name: 'e', needs: [], if: '{% x %}', succeed: { output: null } };
  const group = { group: [step('y', [])], retry: NO_RETRY, timeoutMs: null };
  const parallel = [
    { name: 'a', steps: [early] },
    { name: 'b', steps: [step('z', [])] },
    { name: 'c', steps: [{ name: 'g', needs: [], if: '{% y %}', ...group }] },
    { name: 'd', steps: [{ ...step('x', []), optional: true } as StepPlan] },
  ];
  const play = new Play({ steps: [{ name: 's', needs: [], parallel, onBranchFailure: 'wait' }] });
  const at = (name: string) => placeOf(play.task, name) ?? -1;
  const states = () => {
    return ['s#a/e', 's#b/z', 's#c/g'].map((name) => play.task.runs[at(name)]?.normal.state);
  };
  const begin = (direction: 'normal' | 'rollback', attempt: number) => {
    const ref = { direction, step: at('s#d/x') } as const;
    play.do({ kind: 'claimed', ...ref, attempt, owner: 'e' });
    return { ...ref, token: play.task.token };
  };
  const failed = { kind: 'failed', terminal: true, failure: 'FAILED', message: 'no' } as const;
  play.do({ ...failed, ...begin('normal', 1) });
  play.do({ ...failed, ...begin('rollback', 1) });
  expect(play.status).toBe('rollback_failed');
  const e = { direction: 'normal', step: at('s#a/e') } as const;
  const question = questionOf(play.task, e)?.id ?? '';
  play.do({ kind: 'answered', ...e, question, answer: { values: { if: true } } });
  expect(states()).toEqual(['succeeded', 'pending', 'pending']);
  play.do({ kind: 'retry_requested', ...PERSON });
  play.do({ kind: 'succeeded', ...begin('rollback', 2), output: null });
  expect([play.status, ...states()]).toEqual(['succeeded', 'succeeded', 'pending', 'pending']);
});

it('child tasks that a person has begun anew do not begin once the task has ended early', () => {
  const each: StepPlan = {
    name: 'each',
    needs: [],
    foreach: {
      in: ['one'],
      as: 'item',
      concurrency: 1,
      successPercent: 100,
      steps: [step('a', [])],
      flow: null,
      parameters: null,
    },
  };
  const early: StepPlan = { name: 'e', needs: [1], succeed: { output: null } };
  const play = new Play({ steps: [each, step('x', []), early], onFailure: { holdMs: null } });
  const [x] = play.last.queued;
  const counts = { found: 1, succeeded: 0, failed: 0, active: 0, held: 0 };
  const count = (more: object) => {
    const told = { counts: { ...counts, ...more }, results: [] };
    play.do({ kind: 'children_counted', run: 'each#1', ...told });
  };
  count({ found: 0 });
  play.do({ kind: 'claimed', ...x!.ref, attempt: 1, owner: 'e' });
  count({ failed: 1 });
  play.do({ kind: 'succeeded', ...x!.ref, token: play.task.token, output: null });
  expect(play.status).toBe('on_hold');
  play.do({ kind: 'retry_requested', ...PERSON, children: 'all' });
  expect(play.task.runs[2]?.normal.state).toBe('succeeded');
  count({ failed: 1 });
  expect([play.status, play.task.runs[0]?.normal.state]).toEqual(['succeeded', 'pending']);
});

it('nothing begins once the task has ended early while a reset undoes another step', () => {
  const early = { name: 'e', needs: [0], succeed: { output: null } };
  const parallel = [
    { name: 'a', steps: [step('z', []), early] },
    { name: 'b', steps: [step('x', [])] },
  ];
  const all = { parallel, onBranchFailure: 'wait' } as const;
  const play = new Play({ steps: [{ name: 's', needs: [], ...all }, step('t', [])] });
  const [z, x] = [placeOf(play.task, 's#a/z') ?? -1, placeOf(play.task, 's#b/x') ?? -1];
  const end = (direction: 'normal' | 'rollback', place: number) => {
    const ref = { direction, step: place } as const;
    play.do({ kind: 'claimed', ...ref, attempt: 1, owner: 'e' });
    play.do({ kind: 'succeeded', ...ref, token: play.task.token, output: null });
  };
  end('normal', 1);
  play.do({ kind: 'reset_requested', ...PERSON, to: 't' });
  end('normal', z);
  expect([play.status, play.task.runs[x]?.normal.state]).toEqual(['rolling_back', 'pending']);
  end('rollback', 1);
  expect(play.status).toBe('succeeded');
});

it('a task that ended early gives out nothing again that no worker has begun', () => {
  const early = { name: 'e', needs: [0], succeed: { output: null } };
  const parallel = [
    { name: 'a', steps: [step('x', []), early] },
    { name: 'b', steps: [step('z', [])] },
  ];
  const play = new Play({ steps: [{ name: 's', needs: [], parallel, onBranchFailure: 'wait' }] });
  const [x, z] = ['s#a/x', 's#b/z'].map((run) => {
    return { direction: 'normal', step: placeOf(play.task, run) ?? -1 } as const;
  });
  const worker = { lengthMs: 60_000, poll: null };
  play.do({ kind: 'claimed', ...z!, attempt: 1, owner: 'w', worker });
  play.do({ kind: 'claimed', ...x!, attempt: 1, owner: 'e' });
  play.do({ kind: 'succeeded', ...x!, token: play.task.token, output: null });
  expect(play.status).toBe('running');
  const tick = { kind: 'tick', crowded: new Map(), ended: new Set(['w']) } as const;
  play.do(tick, START + DELIVERED_MS);
  expect(play.status).toBe('succeeded');
  expect(play.task.runs[z!.step]?.normal.state).toBe('pending');
});
