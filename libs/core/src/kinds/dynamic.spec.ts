import { describe, expect, it } from '@jest/globals';
import { action, flow } from '#testing';
import { createTask } from '../transitions/create-task.js';
import { DEFAULT_TIMING, type TaskEvent } from '../task/event.js';
import type { StepPlan } from '../flow/flow.js';
import type { JsonValue } from '../json/json.js';
import { outputAt } from '../values/outputs.js';
import { parametersFor } from '../values/parameters.js';
import { placeOf } from '../scopes/run-id.js';
import { statusName } from '../task/status.js';
import type { Task } from '../task/task.js';
import { taskFault } from '../stored/task-shape.js';
import { transition } from '../transitions/transition.js';
import { questionOf } from './question-of.js';

const REF = { direction: 'normal', step: 0 } as const;
const PERSON = { actor: 'ann', reason: 'why', key: null };

/** A chain of commands, each with an undo. */
function chain(...names: readonly string[]): readonly StepPlan[] {
  return names.map((name, index) => {
    const needs = index === 0 ? [] : [index - 1];
    return { name, needs, normal: action('m.c'), rollback: action('m.u') };
  });
}

const MADE: StepPlan = { name: 'd', needs: [], dynamic: { steps: '{% made %}' } };

/** A task that is read anew after each event, as another process does it. */
class Walk {
  task: Task;
  private now = 1_000_000;

  constructor(steps: readonly StepPlan[] = [MADE]) {
    const options = { taskId: 't', moment: this.moment() };
    const request = { parameters: { cpu: 1 } };
    this.task = createTask({ definition: flow(steps), version: 1 }, request, options).task;
  }

  private moment() {
    return { now: this.now, chance: 0.5, timing: DEFAULT_TIMING };
  }

  apply(event: TaskEvent): string {
    const { journal, ...rest } = this.task;
    const read = { ...structuredClone({ ...rest, index: null }), journal };
    expect(taskFault(read)).toBeNull();
    const decision = transition(read, event, { moment: this.moment() });
    if (decision.kind === 'moved') this.task = decision.task;
    return decision.kind;
  }

  /** The steps come to these. */
  answer(steps: readonly StepPlan[], step = 0): this {
    const ref = { ...REF, step };
    const question = questionOf(this.task, ref);
    expect(question?.members).toMatchObject([{ name: 'steps', as: 'steps' }]);
    const answer = { values: { steps: steps as unknown as JsonValue } };
    this.apply({ kind: 'answered', ...ref, question: question?.id ?? '', answer });
    return this;
  }

  /** The command of a run, or with `-` its undo, is started and ends. */
  end(word: string, isDone = true): this {
    const isBack = word.startsWith('-');
    const place = placeOf(this.task, isBack ? word.slice(1) : word) ?? -1;
    const ref = { direction: isBack ? 'rollback' : 'normal', step: place } as const;
    const runs = this.task.runs[place];
    const attempt = (isBack ? runs?.rollback?.attempts : runs?.normal.attempts) ?? 0;
    expect(this.apply({ kind: 'claimed', ...ref, attempt: attempt + 1, owner: 'p' })).toBe('moved');
    const { token } = this.task;
    const failed = { kind: 'failed', failure: 'FAILED', terminal: true, message: 'no' } as const;
    const event = isDone ? ({ kind: 'succeeded', output: { [word]: 1 } } as const) : failed;
    this.apply({ ...event, ...ref, token });
    return this;
  }

  get status(): string {
    return statusName(this.task.status);
  }
}

describe('a dynamic scope', () => {
  it('runs the steps that its expression comes to, and gives what they gave', () => {
    const walk = new Walk().answer(chain('x', 'y')).end('d#1/x');
    const next = { direction: 'normal', step: placeOf(walk.task, 'd#1/y') ?? -1 } as const;
    expect(parametersFor(walk.task, next)).toEqual({ cpu: 1, 'd#1/x': 1 });
    walk.end('d#1/y');
    expect(walk.status).toBe('succeeded');
    expect(outputAt(walk.task, 0)).toEqual({ 'd#1/x': 1, 'd#1/y': 1 });
  });

  it('is undone last step first when a step fails, and so is what came before it', () => {
    const steps = [...chain('a'), { ...MADE, needs: [0] }];
    const walk = new Walk(steps).end('a').answer(chain('x', 'y'), 1);
    walk.end('d#1/x').end('d#1/y', false).end('-d#1/y').end('-d#1/x').end('-a');
    expect(walk.status).toBe('rolled_back');
    expect(walk.task.turned?.cause).toMatchObject({ code: 'FAILED', step: 'y' });
  });

  it('is undone when a step after it fails', () => {
    const after: StepPlan = { ...(chain('z')[0] as StepPlan), needs: [0] };
    const walk = new Walk([MADE, after]).answer(chain('x')).end('d#1/x').end('z', false);
    walk.end('-z').end('-d#1/x');
    expect(walk.status).toBe('rolled_back');
  });

  it('may have no steps', () => {
    expect(new Walk().answer([]).status).toBe('succeeded');
  });

  it('may lie in another one, down to sixteen lists in each other', () => {
    const walk = new Walk().answer([MADE]);
    const inner = (id: string): number => placeOf(walk.task, id) ?? -1;
    let id = 'd';
    for (let depth = 1; depth < 16; depth += 1) {
      id = `${id}#1/d`;
      walk.answer([MADE], inner(id));
    }
    expect(walk.status).toBe('not_started');
    walk.answer(chain('x'), inner(`${id}#1/d`));
    expect(walk.status).toBe('rolled_back');
    expect(walk.task.turned?.cause?.code).toBe('INVALID_STEPS');
  });

  it('takes other steps when a person resets it, in a block of their own where they are more', () => {
    const walk = new Walk().answer(chain('x')).end('d#1/x');
    walk.apply({ kind: 'reset_requested', ...PERSON, to: 'd', parameters: {} });
    walk.end('-d#1/x').answer(chain('x', 'y'));
    expect(walk.task.scopes.map(({ first, round }) => [first, round])).toEqual([
      [1, 0],
      [2, 1],
    ]);
    walk.end('d~2#1/x').end('d~2#1/y');
    expect(walk.status).toBe('succeeded');
    walk.apply({ kind: 'undo_requested', ...PERSON });
    walk.end('-d~2#1/y').end('-d~2#1/x');
    expect(walk.status).toBe('rolled_back');
  });

  it('ends the task early where one of its steps says so, and holds behind a pivot', () => {
    const end: StepPlan = { name: 'e', needs: [], succeed: { output: 3 } };
    expect(new Walk([MADE, { ...MADE, name: 'o', needs: [0] }]).answer([end]).status).toBe(
      'succeeded',
    );
    const pivot = [{ ...(chain('x')[0] as StepPlan), pivot: true as const }];
    const after: StepPlan = { ...(chain('z')[0] as StepPlan), needs: [0] };
    const held = new Walk([MADE, after]).answer(pivot).end('d#1/x').end('z', false);
    expect(held.status).toBe('on_hold');
  });

  it('fails with INVALID_STEPS and every fault where its steps are not sound', () => {
    const walk = new Walk();
    const question = questionOf(walk.task, REF)?.id ?? '';
    const fault = { member: 'steps', position: null, reason: 'not sound', code: 'INVALID_STEPS' };
    walk.apply({ kind: 'answered', ...REF, question, answer: { fault } as never });
    expect(walk.status).toBe('rolled_back');
    expect(walk.task.runs[0]?.normal).toMatchObject({
      code: 15,
      error: null,
      message: 'not sound',
    });
    expect(walk.task.turned?.cause).toMatchObject({ code: 'INVALID_STEPS', message: 'not sound' });
  });

  it('counts its steps with what the task holds', () => {
    const walk = new Walk([MADE, { ...MADE, name: 'e', needs: [0] }]);
    const [step] = chain('x');
    const large = { ...step, normal: { ...action('m.c'), parameters: { a: 'x'.repeat(3e6) } } };
    walk
      .answer([large as StepPlan])
      .end('d#1/x')
      .answer([large as StepPlan], 1);
    expect(walk.task.turned?.cause).toMatchObject({ code: 'EXPRESSION_FAILED', step: 'e' });
  });

  it('is not read from a document whose steps are none', () => {
    const walk = new Walk().answer(chain('x'));
    const [scope] = walk.task.scopes;
    for (const steps of [undefined, {}, [{ name: 'x', needs: [7] }], [{ name: 'x', needs: [] }]]) {
      const scopes = [{ ...scope, values: { steps } }] as unknown as Task['scopes'];
      let fault: unknown = null;
      try {
        fault = taskFault({ ...walk.task, scopes, index: null });
      } catch (error) {
        fault = error;
      }
      expect(fault).not.toBeNull();
    }
  });
});
