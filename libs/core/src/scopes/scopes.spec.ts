import { alertRequest } from '../children/alert-task.js';
import { describe, expect, it } from '@jest/globals';
import { NO_RETRY } from '../flow/action.js';
import { createTask } from '../transitions/create-task.js';
import { DEFAULT_TIMING, type PersonsAction, type TaskEvent } from '../task/event.js';
import type { CommandStep, StepOf, StepPlan } from '../flow/flow.js';
import type { JsonObject } from '../json/json.js';
import type { Direction } from '../task/journal.js';
import { outputAt } from '../values/outputs.js';
import { mergedParameters, parametersFor, resultsFor } from '../values/parameters.js';
import { placeOf, runIdOf } from './run-id.js';
import { statusName } from '../task/status.js';
import type { Task } from '../task/task.js';
import { type Decision, transition } from '../transitions/transition.js';

const PERSON: PersonsAction = { actor: 'ann', reason: 'why', key: null };

function step(name: string, needs: readonly number[] = []): CommandStep {
  const plain = { timeoutMs: 60_000, attemptTimeoutMs: null, retry: NO_RETRY, parameters: null };
  const action = { module: 'm', onCrash: 'fail', ...plain } as const;
  const normal = { ...action, command: name };
  return { name, needs, normal, rollback: { ...action, command: `undo_${name}` } };
}

function group(
  name: string,
  steps: readonly StepPlan[],
  more: Partial<Pick<StepOf<'group'>, 'needs' | 'retry' | 'timeoutMs'>> = {},
): StepOf<'group'> {
  return { name, needs: [], group: steps, retry: NO_RETRY, timeoutMs: null, ...more };
}

/** `x` and then `y`. */
const PAIR = [step('x'), step('y', [0])];

const TWICE = { ...NO_RETRY, attempts: 2 };

/** A task and all that is queued of it, by the ids of runs: `x` forward, `-x` back. */
class Walk {
  now = 1_000;
  task: Task;

  constructor(steps: readonly StepPlan[]) {
    const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
    const request = { parameters: { cpu: 1 } };
    const options = { taskId: 't', moment: this.moment };
    this.task = createTask({ definition, version: 1 }, request, options).task;
  }

  private get moment() {
    return { now: this.now, chance: 0, timing: DEFAULT_TIMING };
  }

  get queued(): string {
    const found = this.task.runs.flatMap(({ normal, rollback }, place) => {
      const id = runIdOf(this.task, place);
      const isQueued = [normal.state === 'queued', rollback?.state === 'queued'];
      return [...(isQueued[0] ? [id] : []), ...(isQueued[1] ? [`-${id}`] : [])];
    });
    return found.join(' ');
  }

  get status(): string {
    return statusName(this.task.status);
  }

  apply(event: TaskEvent): Decision {
    const decision = transition(this.task, event, { moment: this.moment });
    if (decision.kind === 'moved') this.task = decision.task;
    return decision;
  }

  /** Each of these runs is claimed and succeeds. */
  done(words: string, output: JsonObject | null = null): this {
    for (const word of words.split(' ')) {
      this.apply({ kind: 'succeeded', ...this.claim(word), output });
    }
    return this;
  }

  fail(word: string): this {
    const failure = { terminal: true, failure: 'FAILED', message: 'no' } as const;
    this.apply({ kind: 'failed', ...this.claim(word), ...failure });
    return this;
  }

  claim(word: string) {
    const direction: Direction = word.startsWith('-') ? 'rollback' : 'normal';
    const place = placeOf(this.task, word.replace('-', ''));
    if (place === null) throw new Error(`there is no run ${word}`);
    const ref = { direction, step: place };
    const run = this.task.runs[place]?.[direction];
    this.apply({ kind: 'claimed', ...ref, attempt: (run?.attempts ?? 0) + 1, owner: 'e' });
    return { ...ref, token: this.task.token };
  }

  tick(afterMs: number): this {
    this.now += afterMs;
    this.apply({ kind: 'tick', crowded: new Map() });
    return this;
  }

  state(id: string): string {
    const { normal, rollback } = this.task.runs[placeOf(this.task, id) ?? -1] ?? {};
    return `${normal?.state}/${rollback?.state}`;
  }
}

describe('a group', () => {
  it('runs its steps, and then what needs it', () => {
    const walk = new Walk([step('a'), group('g', PAIR, { needs: [0] }), step('b', [1])]);
    expect(walk.queued).toBe('a');
    expect(walk.done('a').queued).toBe('g#1/x');
    expect(walk.done('g#1/x').queued).toBe('g#1/y');
    expect(walk.done('g#1/y').queued).toBe('b');
    expect(walk.state('g')).toBe('succeeded/none');
    expect(walk.done('b').status).toBe('succeeded');
  });

  it('costs nothing until it is reached', () => {
    const walk = new Walk([step('a'), group('g', PAIR, { needs: [0] })]);
    expect(walk.task.runs).toHaveLength(2);
    expect(walk.done('a').task.runs).toHaveLength(4);
  });

  it('is undone by itself and tried again with new runs, while the task goes forward', () => {
    const walk = new Walk([group('g', PAIR, { retry: TWICE }), step('b', [0])]);
    walk.done('g#1/x').fail('g#1/y');
    expect([walk.status, walk.state('g'), walk.queued]).toEqual([
      'running',
      'running/running',
      '-g#1/y',
    ]);
    expect(walk.done('-g#1/y').queued).toBe('-g#1/x');
    expect(walk.done('-g#1/x').queued).toBe('g#2/x');
    expect(walk.done('g#2/x g#2/y').queued).toBe('b');
    expect(walk.done('b').status).toBe('succeeded');
  });

  it('has failed when its tries are used up, and is not undone a second time', () => {
    const walk = new Walk([step('a'), group('g', PAIR, { needs: [0] })]);
    walk.done('a').fail('g#1/x').done('-g#1/x');
    expect([walk.state('g'), walk.queued]).toEqual(['failed/succeeded', '-a']);
    expect(walk.task.message).toBe('step g failed: step x (m.x) failed: no');
    expect(walk.done('-a').status).toBe('rolled_back');
  });

  it('waits as long as its retry says before it is tried again', () => {
    const retry = { ...TWICE, backoff: 'fixed', delayMs: 5_000 } as const;
    const walk = new Walk([group('g', [step('x')], { retry })]);
    walk.fail('g#1/x').done('-g#1/x');
    expect([walk.state('g'), walk.task.wakeAt]).toEqual(['waiting/succeeded', 6_000]);
    expect(walk.tick(4_999).queued).toBe('');
    expect(walk.tick(1).queued).toBe('g#2/x');
  });

  it('goes back as a whole, after what followed it and before what it needed', () => {
    const walk = new Walk([step('a'), group('g', PAIR, { needs: [0] }), step('b', [1])]);
    walk.done('a g#1/x g#1/y').fail('b');
    const order: string[] = [];
    while (walk.queued !== '') {
      order.push(walk.queued);
      walk.done(walk.queued);
    }
    expect(order).toEqual(['-b', '-g#1/y', '-g#1/x', '-a']);
    expect([walk.status, walk.state('g')]).toEqual(['rolled_back', 'succeeded/succeeded']);
  });

  it('is called off when what is around it goes back, and tried no more', () => {
    const walk = new Walk([group('g', PAIR, { retry: TWICE }), step('b')]);
    walk.done('g#1/x').fail('b');
    expect(walk.queued).toBe('-b -g#1/x');
    walk.done('-b -g#1/x');
    expect([walk.status, walk.state('g')]).toEqual(['rolled_back', 'terminated/succeeded']);
  });

  it('that goes back is not turned again when what is around it goes back as well', () => {
    const walk = new Walk([group('g', PAIR, { retry: TWICE }), step('b')]);
    walk.done('g#1/x').fail('g#1/y').fail('b');
    expect(walk.done('-g#1/y -g#1/x -b').status).toBe('rolled_back');
    expect(walk.task.scopes[0]).toMatchObject({ round: 1, turned: { why: 'step_failed' } });
  });

  it('is called off when its time is over, however many tries are left', () => {
    const walk = new Walk([group('g', PAIR, { retry: TWICE, timeoutMs: 3_000 })]);
    walk.done('g#1/x');
    expect(walk.task.wakeAt).toBe(4_000);
    expect(walk.tick(3_000).queued).toBe('-g#1/x');
    expect(walk.done('-g#1/x').status).toBe('rolled_back');
    expect(walk.state('g')).toBe('timed_out/succeeded');
  });

  it('is not tried again when its time was over before anybody looked at its wait', () => {
    const retry = { ...TWICE, backoff: 'fixed', delayMs: 1_000 } as const;
    const walk = new Walk([group('g', [step('x')], { retry, timeoutMs: 3_000 })]);
    walk.fail('g#1/x').done('-g#1/x');
    expect(walk.tick(3_000).status).toBe('rolled_back');
    expect(walk.state('g')).toBe('timed_out/succeeded');
  });

  it('asks once for a run of a new try that stands where one was queued by the same event', () => {
    const inner = group('i', [step('x')], { timeoutMs: 3_000 });
    const walk = new Walk([group('g', [inner, step('y')], { retry: TWICE })]);
    walk.apply({ kind: 'pause_requested', ...PERSON });
    walk.tick(3_000);
    const decision = walk.apply({ kind: 'resume_requested', ...PERSON });
    expect(walk.queued).toBe('g#2/y g#2/i#1/x');
    const asked = decision.kind === 'moved' ? decision.queued : [];
    expect(asked.map(({ ref }) => ref.step)).toEqual([2, 3]);
  });

  it('holds groups, each with tries of its own', () => {
    const inner = group('i', [step('x')], { retry: TWICE });
    const walk = new Walk([group('g', [inner, step('z', [0])], { retry: TWICE })]);
    walk.fail('g#1/i#1/x').done('-g#1/i#1/x').done('g#1/i#2/x').fail('g#1/z').done('-g#1/z');
    expect(walk.queued).toBe('-g#1/i#2/x');
    expect(walk.done('-g#1/i#2/x').queued).toBe('g#2/i#1/x');
    expect(walk.task.runs).toHaveLength(4);
    expect(walk.done('g#2/i#1/x g#2/z').status).toBe('succeeded');
  });
});

describe('a step of a kind that this build does not know', () => {
  it('is refused by name, and never taken for done', () => {
    const { normal, rollback, ...later } = step('b', [0]);
    const walk = new Walk([step('a'), { ...later, unheard: { normal, rollback } } as never]);
    expect(() => walk.done('a')).toThrow('a step is of the unknown kind unheard');
    expect(walk.state('a')).toBe('running/none');
  });
});

describe('a rollback that fails in a group', () => {
  function held(): Walk {
    const walk = new Walk([group('g', PAIR, { retry: TWICE }), step('b')]);
    return walk.done('g#1/x').fail('g#1/y').fail('-g#1/y');
  }

  it('puts the task on hold and raises the alert, while the task goes forward', () => {
    const { status, task } = held();
    expect(status).toBe('rollback_failed');
    expect([task.way, task.alert?.looks]).toEqual(['forward', 1]);
    expect(alertRequest(task).parameters).toMatchObject({ step: 'y', status: 'rollback_failed' });
  });

  it('lets nothing start meanwhile, and all that ended is followed afterwards', () => {
    const walk = held().done('b');
    expect(walk.queued).toBe('');
    walk.apply({ kind: 'retry_requested', ...PERSON });
    expect([walk.status, walk.queued]).toEqual(['running', '-g#1/y']);
    expect(walk.done('-g#1/y -g#1/x g#2/x g#2/y').status).toBe('succeeded');
  });

  it('is skipped by a person by the id of its run', () => {
    const walk = held();
    const skip = { kind: 'skip_requested', ...PERSON } as const;
    expect(walk.apply({ ...skip, step: 'y' })).toMatchObject({ code: 'NO_SUCH_STEP' });
    expect(walk.apply({ ...skip, step: 'g#1/x' })).toMatchObject({ code: 'ILLEGAL_ACTION' });
    expect(walk.apply({ ...skip, step: 'g#1/y' })).toMatchObject({ kind: 'moved' });
    expect([walk.status, walk.queued]).toEqual(['running', 'b -g#1/x']);
  });
});

describe('what reaches into a group', () => {
  it('is a rollback that a person asks for', () => {
    const walk = new Walk([group('g', [group('i', PAIR)])]);
    walk.done('g#1/i#1/x').apply({ kind: 'rollback_requested', ...PERSON });
    expect(walk.queued).toBe('-g#1/i#1/x');
    expect(walk.done('-g#1/i#1/x').status).toBe('rolled_back');
  });

  it('is the end of the task on request', () => {
    const walk = new Walk([group('g', PAIR)]);
    const report = walk.claim('g#1/x');
    walk.apply({ kind: 'terminate_requested', ...PERSON });
    expect([walk.status, walk.state('g'), walk.state('g#1/x')]).toEqual([
      'terminated',
      'terminated/none',
      'terminated/none',
    ]);
    const late = walk.apply({ kind: 'succeeded', ...report, output: null });
    expect(late).toMatchObject({ kind: 'ignored' });
  });
});

describe('the parameters of a step in a group', () => {
  const walk = new Walk([
    step('a'),
    group('g', [step('x'), step('y', [0])], { needs: [0] }),
    step('b', [1]),
  ]);
  walk.done('a', { host: 'h' }).done('g#1/x', { disk: 1 }).done('g#1/y', { disk: 2, net: 3 });
  const ref = (id: string) =>
    ({ direction: 'normal', step: placeOf(walk.task, id) ?? -1 }) as const;

  it('are those of what is around it, then what the steps before it gave', () => {
    expect(parametersFor(walk.task, ref('g#1/x'))).toEqual({ cpu: 1, host: 'h' });
    expect(parametersFor(walk.task, ref('g#1/y'))).toEqual({ cpu: 1, host: 'h', disk: 1 });
    expect(resultsFor(walk.task, ref('g#1/y'))).toEqual({ a: { host: 'h' }, x: { disk: 1 } });
  });

  it('are seen outside under the name of the group alone', () => {
    const output = { disk: 2, net: 3 };
    expect(outputAt(walk.task, 1)).toEqual(output);
    expect(parametersFor(walk.task, ref('b'))).toEqual({ cpu: 1, host: 'h', g: output });
    expect(resultsFor(walk.task, ref('b'))).toEqual({ a: { host: 'h' }, g: output });
    expect(mergedParameters(walk.task)).toEqual({ cpu: 1, host: 'h', g: output });
  });
});
