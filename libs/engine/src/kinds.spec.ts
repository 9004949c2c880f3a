import { describe, expect, it } from '@jest/globals';
import { NO_RETRY, type StepPlan, type Task, TASK_STATUS } from '#core';
import { taskFault } from '#core/stored';
import { mergedParameters, taskOutput } from '#core/values';
import { action, done, fails, flow, settle } from '#testing';
import { stopWorlds, world } from './worlds-spec.js';

stopWorlds();

/** A step of a chain. */
function at(index: number, name: string, own: object): StepPlan {
  return { name, needs: index === 0 ? [] : [index - 1], ...own } as unknown as StepPlan;
}

function command(name: string, isUndone = true): object {
  return { normal: action(`m.${name}`), rollback: isUndone ? action(`m.undo_${name}`) : null };
}

const PERSON = { actor: 'ann', reason: 'because', key: null };
const OPEN_END = { timeoutMs: null, onTimeout: 'fail' } as const;

function run(task: Task, name: string) {
  const place = task.plan.steps.findIndex((step) => step.name === name);
  return task.runs[place]?.normal;
}

describe('a signal', () => {
  const wait = { wait: { signal: 'go', ...OPEN_END }, rollback: null };

  it('ends the wait for it, and what it carries is the output of the step', async () => {
    const w = await world();
    const { plan } = await w.submit(flow([at(0, 'w', wait), at(1, 'a', command('a'))]));
    const { taskId } = plan;
    expect(run(await w.task(taskId), 'w')?.state).toBe('waiting');
    expect((await w.task(taskId)).wakeAt).toBeNull();
    expect(taskFault(await w.task(taskId))).toBeNull();
    const event = { kind: 'signal_received', ...PERSON, name: 'go', payload: { x: 1 } } as const;
    await w.engine.operate(taskId, event);
    await settle();
    expect((await w.task(taskId)).status).toBe(TASK_STATUS.succeeded);
    expect(w.commands.contexts[0]?.parameters).toEqual({ w: { x: 1 } });
  });

  it('that comes early is kept for the step that will wait, once for each key', async () => {
    const w = await world();
    const steps = [
      at(0, 'sure', { approve: { title: 'ok?', roles: [], ...OPEN_END }, rollback: null }),
    ];
    const { plan } = await w.submit(flow([...steps, at(1, 'w', wait)]));
    const { taskId } = plan;
    const sent = { kind: 'signal_received', ...PERSON, key: 'k', name: 'go', payload: {} } as const;
    await w.engine.operate(taskId, sent);
    expect((await w.engine.operate(taskId, sent)).kind).toBe('ignored');
    expect((await w.task(taskId)).signals).toHaveLength(1);
    await w.engine.operate(taskId, { kind: 'judged', ...PERSON, step: 'sure', isApproved: true });
    await settle();
    expect(await w.task(taskId)).toMatchObject({ status: TASK_STATUS.succeeded, signals: [] });
    expect(mergedParameters(await w.task(taskId))).toMatchObject({ sure: { by: 'ann' } });
  });

  it('that does not come in time fails the step with an error of its own', async () => {
    const w = await world();
    const late = { wait: { signal: 'go', timeoutMs: 5_000, onTimeout: 'fail' }, rollback: null };
    const { plan } = await w.submit(flow([at(0, 'a', command('a')), at(1, 'w', late)]));
    await w.clock.advance(7_000);
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.rolled_back);
    expect(task.turned?.cause).toMatchObject({ code: 'SIGNAL_TIMEOUT', step: 'w' });
    expect(w.commands.calls).toEqual(['a:normal', 'a:rollback']);
  });
});

describe('an approval', () => {
  it('that is refused fails its step, and everything before it is undone', async () => {
    const w = await world();
    const sure = { approve: { title: 'drop {% x %}?', roles: [], ...OPEN_END }, rollback: null };
    const { plan } = await w.submit(flow([at(0, 'a', command('a')), at(1, 'sure', sure)]));
    const no = { kind: 'judged', ...PERSON, step: 'sure', isApproved: false } as const;
    await w.engine.operate(plan.taskId, no);
    await settle();
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.rolled_back);
    expect(run(task, 'sure')).toMatchObject({ state: 'failed', code: 12 });
    expect((await w.engine.operate(plan.taskId, no)).kind).toBe('refused');
  });
});

describe('a point of no return', () => {
  it('has a later failure wait for a person, who may go back to the step after it', async () => {
    const w = await world();
    w.commands.scripts.set('m.c', () => fails());
    const steps = [
      at(0, 'a', command('a')),
      at(1, 'b', { ...command('b'), pivot: true }),
      at(2, 'c', command('c')),
    ];
    const { plan } = await w.submit(flow(steps));
    const { taskId } = plan;
    expect((await w.task(taskId)).status).toBe(TASK_STATUS.on_hold);
    expect(w.commands.calls).toEqual(['a:normal', 'b:normal', 'c:normal']);
    const back = { kind: 'rollback_requested', ...PERSON } as const;
    expect(await w.engine.operate(taskId, back)).toMatchObject({ kind: 'refused' });
    expect(await w.engine.operate(taskId, { ...back, to: 'b' })).toMatchObject({ kind: 'refused' });
    await w.engine.operate(taskId, { ...back, to: 'c' });
    await settle();
    expect((await w.task(taskId)).status).toBe(TASK_STATUS.on_hold);
    expect(w.commands.calls.slice(3)).toEqual(['c:rollback']);
  });
});

it('no point of no return is passed beside a branch that has failed', async () => {
  const w = await world();
  w.commands.scripts.set('m.x', () => fails());
  const pay = at(1, 'pay', { group: [at(0, 'p', command('p', false))], retry: NO_RETRY });
  const a = { name: 'a', steps: [at(0, 'a1', command('a1')), { ...pay, pivot: true }] };
  const b = { name: 'b', steps: [at(0, 'x', command('x'))] };
  const both = at(1, 'both', { parallel: [a, b], onBranchFailure: 'wait' });
  let end: () => void = () => {};
  w.commands.scripts.set('m.a1', () => new Promise((resolve) => (end = () => resolve(done()))));
  const { plan } = await w.submit(flow([at(0, 'first', command('first')), both]));
  end();
  await settle();
  const task = await w.task(plan.taskId);
  expect([task.status, w.commands.calls.includes('p:normal')]).toEqual([
    TASK_STATUS.rolled_back,
    false,
  ]);
  expect(w.commands.calls.slice(-3).sort()).toEqual([
    'a1:rollback',
    'first:rollback',
    'x:rollback',
  ]);
});

it('a point of no return beside the step that fails its branch takes no failure from it', async () => {
  const w = await world();
  const wrong = at(0, 'x', { fail: { code: 'NO', message: 'no' } });
  const b = [wrong, { ...at(0, 'p', command('p')), pivot: true }];
  const branches = [
    { name: 'a', steps: [at(0, 'a1', command('a1'))] },
    { name: 'b', steps: b },
  ];
  const both = { parallel: branches, onBranchFailure: 'wait' };
  const { plan } = await w.submit(flow([at(0, 'both', both)]));
  const task = await w.task(plan.taskId);
  expect([task.status, task.turned?.cause?.code]).toEqual([TASK_STATUS.rolled_back, 'NO']);
});

describe('values that are worked out', () => {
  it('are what a command is called with, each attempt and its rollback', async () => {
    const w = await world();
    w.commands.scripts.set('m.b', () => fails());
    const normal = { ...action('m.a'), parameters: { size: '{% cpu %}', fixed: 1 } };
    const steps = [
      at(0, 's', { set: { cpu: '{% cores %}' }, rollback: null }),
      at(1, 'a', { normal, rollback: action('m.undo_a') }),
      at(2, 'b', command('b')),
    ];
    const { plan } = await w.submit(flow(steps), { cores: 3 });
    const task = await w.task(plan.taskId);
    expect(run(task, 'a')?.values).toEqual({ size: 3, fixed: 1 });
    const calls = w.commands.contexts.map(({ direction, parameters, step }) => {
      return [`${direction} ${step}`, parameters];
    });
    expect(calls[0]).toEqual(['normal a', { cores: 3, cpu: 3, size: 3, fixed: 1 }]);
    expect(calls.at(-1)).toEqual(['rollback a', { cores: 3, cpu: 3, size: 3, fixed: 1 }]);
  });

  it('are the same in the rollback where the same is written, and may name constants', async () => {
    const w = await world();
    const swapped = { from: '{% to %}', to: '{% from %}' };
    const a = { ...action('m.a'), parameters: { ...swapped, fixed: 1 } };
    const undo = { ...action('m.undo_a'), parameters: { ...swapped, of: '{% fixed %}' } };
    const steps = [at(0, 'a', { normal: a, rollback: undo }), at(1, 'b', command('b'))];
    w.commands.scripts.set('m.b', () => fails());
    await w.submit(flow(steps), { from: 3, to: 4 });
    const { parameters } = w.commands.contexts.at(-1) ?? {};
    expect(parameters).toEqual({ from: 4, to: 3, fixed: 1, of: 1 });
  });

  it('that have a fault fail the step before it has any effect', async () => {
    const w = await world();
    const normal = { ...action('m.b'), parameters: { size: '{% boom %}' } };
    const steps = [at(0, 'a', command('a')), at(1, 'b', { normal, rollback: action('m.undo') })];
    const { plan } = await w.submit(flow(steps));
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.rolled_back);
    expect(run(task, 'b')).toMatchObject({ state: 'failed', code: 9, attempts: 0 });
    expect(w.commands.calls).toEqual(['a:normal', 'a:rollback']);
  });

  it('are asked for again by governance when the answer was lost', async () => {
    const w = await world();
    const { evaluator } = w;
    let asked = 0;
    evaluator.before = () => {
      asked += 1;
      if (asked === 1) throw new Error('no process could be started');
    };
    const { plan } = await w.submit(flow([at(0, 'a', { ...command('a'), if: '{% yes %}' })]), {
      yes: true,
    });
    expect(run(await w.task(plan.taskId), 'a')?.state).toBe('queued');
    await w.clock.advance(12_000);
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.succeeded);
    expect(asked).toBe(2);
  });
});

describe('an early end', () => {
  it('at the end of a branch counts, though another one failed without an effect', async () => {
    const w = await world();
    w.commands.scripts.set('m.x', () => fails());
    const b = [at(0, 'b', command('b')), at(1, 'enough', { succeed: { output: 1 } })];
    const branches = [{ name: 'a', steps: [at(0, 'x', command('x', false))] }];
    const parallel = [...branches, { name: 'b', steps: b }];
    const { plan } = await w.submit(flow([at(0, 'p', { parallel, onBranchFailure: 'wait' })]));
    const task = await w.task(plan.taskId);
    expect([task.status, taskOutput(task)]).toEqual([TASK_STATUS.succeeded, 1]);
    expect(w.commands.calls).not.toContain('b:rollback');
  });

  it('is undone with its branches where the task is rolled back before it ends', async () => {
    const w = await world();
    let end: () => void = () => {};
    w.commands.scripts.set('m.a', ({ direction }) => {
      return direction === 'rollback'
        ? done()
        : new Promise((resolve) => (end = () => resolve(done())));
    });
    const b = [at(0, 'b', command('b')), at(1, 'enough', { succeed: { output: 1 } })];
    const a = { name: 'a', steps: [at(0, 'a', command('a'))] };
    const { plan } = await w.submit(flow([at(0, 'p', { parallel: [a, { name: 'b', steps: b }] })]));
    await w.engine.operate(plan.taskId, { kind: 'rollback_requested', ...PERSON });
    end();
    await settle();
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.rolled_back);
    expect(w.commands.calls.slice(-2).sort()).toEqual(['a:rollback', 'b:rollback']);
  });

  it('has the branches undone that stood beside one that was undone before', async () => {
    const w = await world();
    let end: () => void = () => {};
    w.commands.scripts.set('m.x', () => fails());
    w.commands.scripts.set('m.z', () => new Promise((resolve) => (end = () => resolve(done()))));
    const a = { name: 'a', steps: [at(0, 'x', command('x'))] };
    const b = { name: 'b', steps: [at(0, 'b', command('b'))] };
    const p = at(0, 'p', { parallel: [a, b], onBranchFailure: 'wait' });
    const enough = [at(0, 'c', command('c', false)), at(1, 'enough', { succeed: { output: 1 } })];
    const lists = { l: [p], r: [at(0, 'z', command('z', false))], s: enough };
    const all = Object.entries(lists).map(([name, steps]) => ({ name, steps }));
    const { plan } = await w.submit(flow([at(0, 'all', { parallel: all })]));
    await settle();
    await w.engine.operate(plan.taskId, { kind: 'rollback_requested', ...PERSON });
    end();
    await settle();
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.rolled_back);
    expect(w.commands.calls.slice(-2)).toEqual(['x:rollback', 'b:rollback']);
  });

  it('that is taken back has a step fail that stood as the task was about to end', async () => {
    const w = await world();
    let end: () => void = () => {};
    let fail: () => void = () => {};
    w.commands.scripts.set('m.x', () => fails());
    w.commands.scripts.set('m.b', ({ direction }) => {
      if (direction === 'rollback') return done();
      return new Promise((resolve) => (end = () => resolve(done())));
    });
    w.commands.scripts.set('m.z', () => new Promise((resolve) => (fail = () => resolve(fails()))));
    const a = { name: 'a', steps: [at(0, 'x', command('x', false))] };
    const b = { name: 'b', steps: [at(0, 'b', command('b'))] };
    const p = at(0, 'p', { parallel: [a, b], onBranchFailure: 'wait' });
    const group = [
      at(0, 'z', command('z', false)),
      at(0, 'go', command('go', false)),
      at(2, 'enough', { succeed: { output: 1 } }),
    ];
    const tell = [at(0, 'tell', command('tell'))];
    const caught = [{ errors: ['*'], as: 'error', steps: tell }];
    const o = at(0, 'o', { group, retry: NO_RETRY, catch: caught });
    const both = [
      { name: 'l', steps: [p] },
      { name: 'r', steps: [o] },
    ];
    const { plan } = await w.submit(flow([at(0, 'both', { parallel: both })]));
    end();
    await settle();
    fail();
    await settle();
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.rolled_back);
    expect(w.commands.calls.slice(-2).sort()).toEqual(['b:rollback', 'tell:rollback']);
  });

  it('lets what runs end, starts nothing more, and gives the output of the task', async () => {
    const w = await world();
    const steps = [
      at(0, 'a', command('a')),
      at(1, 'enough', { succeed: { output: { why: '{% reason %}' } } }),
      at(2, 'never', command('b')),
    ];
    const { plan } = await w.submit(flow(steps), { reason: 'small' });
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.succeeded);
    expect(run(task, 'enough')?.output).toEqual({ output: { why: 'small' } });
    expect([run(task, 'never')?.state, w.commands.calls]).toEqual(['pending', ['a:normal']]);
    await w.engine.operate(plan.taskId, { kind: 'undo_requested', ...PERSON });
    await settle();
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.rolled_back);
    expect(w.commands.calls).toEqual(['a:normal', 'a:rollback']);
  });
});

describe('an error that is caught', () => {
  const steps = [
    at(0, 'a', {
      ...command('a'),
      catch: [{ errors: ['QUOTA'], as: 'error', steps: [at(0, 'tell', command('tell'))] }],
    }),
    at(1, 'b', command('b')),
  ];

  it('undoes its step alone, shows the error to the steps that catch it, and goes on', async () => {
    const w = await world();
    w.commands.scripts.set('m.a', () => ({ ...fails(), error: 'QUOTA' }));
    const { plan } = await w.submit(flow(steps));
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.succeeded);
    expect(w.commands.calls).toEqual(['a:normal', 'a:rollback', 'tell:normal', 'b:normal']);
    const [, , tell] = w.commands.contexts;
    expect(tell?.run).toBe('a#catch/tell');
    expect(tell?.parameters).toMatchObject({ error: { code: 'QUOTA', step: 'a' } });
  });

  it('has what caught it undone, and not its step once more, when the task goes back', async () => {
    const w = await world();
    w.commands.scripts.set('m.a', () => ({ ...fails(), error: 'QUOTA' }));
    w.commands.scripts.set('m.b', () => fails());
    const { plan } = await w.submit(flow(steps));
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.rolled_back);
    expect(w.commands.calls.slice(3)).toEqual(['b:normal', 'b:rollback', 'tell:rollback']);
  });

  it('is another one than those that are named, so the task goes back', async () => {
    const w = await world();
    w.commands.scripts.set('m.a', () => fails());
    const { plan } = await w.submit(flow(steps));
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.rolled_back);
    expect(w.commands.calls).toEqual(['a:normal', 'a:rollback']);
  });
});

it('a command that is not to be tried again with an error is not', async () => {
  const w = await world();
  w.commands.scripts.set('m.a', () => ({ ...fails(), error: 'QUOTA' }));
  const retry = { ...NO_RETRY, attempts: 3, never: ['QUOTA'] };
  const { plan } = await w.submit(
    flow([at(0, 'a', { normal: { ...action('m.a'), retry }, rollback: null })]),
  );
  expect(run(await w.task(plan.taskId), 'a')?.attempts).toBe(1);
});

describe('rounds that a person has begun again', () => {
  const loop = (steps: readonly StepPlan[], own: object) => {
    return at(0, 'l', { loop: { steps, while: null, until: null, delay: null, max: 2, ...own } });
  };
  const counted = { ...action('m.a'), parameters: { n: '{% $index %}' } };
  const retry = { kind: 'retry_requested', ...PERSON } as const;

  it('are as many as before where those before are undone, and count from 0', async () => {
    const w = await world();
    const steps = [at(0, 'a', { normal: counted, rollback: action('m.undo_a') })];
    const held = { onFailure: { holdMs: null } } as const;
    const { plan } = await w.submit(flow([loop(steps, { while: true })], held));
    await w.engine.operate(plan.taskId, retry);
    await settle();
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.on_hold);
    const calls = w.commands.contexts.map(({ direction, parameters }) => {
      return `${direction} ${JSON.stringify(parameters['n'])}`;
    });
    const once = ['normal 0', 'normal 1', 'rollback 1', 'rollback 0'];
    expect(calls).toEqual([...once, ...once]);
  });

  it('are as many again where those before stand, and count on', async () => {
    const w = await world();
    const steps = [at(0, 'a', { normal: counted, rollback: null, pivot: true })];
    const { plan } = await w.submit(flow([loop(steps, { while: true })]));
    await w.engine.operate(plan.taskId, retry);
    await settle();
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.on_hold);
    expect(w.commands.contexts.map(({ parameters }) => parameters['n'])).toEqual([0, 1, 2, 3]);
  });

  it('ask a step in one for the number of that round, not of what the step has tried', async () => {
    const w = await world();
    let count = 0;
    w.commands.scripts.set('m.f', () => (count++ === 0 ? fails() : done()));
    const choice = [{ name: 'later', when: '{% $index > 0 %}', steps: [at(0, 'f', command('f'))] }];
    const steps = [
      at(0, 'p', { ...command('p', false), pivot: true }),
      at(1, 'c', { choice, otherwise: [at(0, 'o', command('o'))] }),
    ];
    const { plan } = await w.submit(flow([loop(steps, { until: '{% $index > 0 %}' })]));
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.on_hold);
    await w.engine.operate(plan.taskId, retry);
    await settle();
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.succeeded);
    const calls = ['p:normal', 'o:normal', 'p:normal', 'f:normal', 'f:rollback', 'f:normal'];
    expect(w.commands.calls).toEqual(calls);
  });
});

it('a lock whose name has a fault is not needed by the steps that catch that', async () => {
  const w = await world();
  const handled = [{ errors: ['*'], as: null, steps: [at(0, 'h', command('h'))] }];
  const locked = { ...command('a'), locks: [{ name: '{% boom %}', slots: 1 }], catch: handled };
  w.commands.scripts.set('m.b', () => fails());
  const { plan } = await w.submit(flow([at(0, 'a', locked), at(1, 'b', command('b'))]));
  await w.clock.advance(10_000);
  expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.rolled_back);
  expect(w.commands.calls).toEqual(['h:normal', 'b:normal', 'b:rollback', 'h:rollback']);
});

describe('the output of a flow', () => {
  it('may be given by a person where it cannot be worked out', async () => {
    const w = await world();
    const steps = [at(0, 'a', { ...command('a'), pivot: true })];
    const { plan } = await w.submit(flow(steps, { output: '{% boom %}' }));
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.on_hold);
    const output = { where: 'h1' };
    const skip = { kind: 'skip_requested', ...PERSON, step: '$output', output } as const;
    await w.engine.operate(plan.taskId, skip);
    await settle();
    const task = await w.task(plan.taskId);
    expect([task.status, taskOutput(task)]).toEqual([TASK_STATUS.succeeded, output]);
  });

  it('is worked out once every step is done, and is undone like nothing', async () => {
    const w = await world();
    w.commands.scripts.set('m.a', () => ({ kind: 'succeeded', output: { host: 'h1' } }));
    const made = flow([at(0, 'a', command('a'))], { output: { where: '{% host %}' } });
    const { plan } = await w.submit(made);
    const task = await w.task(plan.taskId);
    expect(task.status).toBe(TASK_STATUS.succeeded);
    expect(taskOutput(task)).toEqual({ where: 'h1' });
    await w.engine.operate(plan.taskId, { kind: 'undo_requested', ...PERSON });
    await settle();
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.rolled_back);
  });

  it('that cannot be worked out has everything undone', async () => {
    const w = await world();
    const made = flow([at(0, 'a', command('a'))], { output: '{% boom %}' });
    const { plan } = await w.submit(made);
    expect((await w.task(plan.taskId)).status).toBe(TASK_STATUS.rolled_back);
    expect(w.commands.calls).toEqual(['a:normal', 'a:rollback']);
  });
});
