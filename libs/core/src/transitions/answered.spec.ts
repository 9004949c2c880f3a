import { describe, expect, it } from '@jest/globals';
import { action, flow } from '#testing';
import { createTask } from './create-task.js';
import { DEFAULT_TIMING, type TaskEvent } from '../task/event.js';
import type { FlowDefinition, StepPlan } from '../flow/flow.js';
import { taskFault } from '../stored/task-shape.js';
import type { Task } from '../task/task.js';
import { transition } from './transition.js';
import { questionOf } from '../kinds/question-of.js';
import { askedIn } from './effect.js';

const REF = { direction: 'normal', step: 0 } as const;
const PERSON = { actor: 'p', reason: 'r', key: null };
const FIRST = { name: 'a', needs: [], normal: action('m.a'), rollback: null, if: '{% yes %}' };
const LOOP = {
  name: 'a',
  needs: [],
  loop: {
    steps: [{ name: 's', needs: [], set: {}, rollback: null }],
    while: '{% yes %}',
    until: null,
    max: 3,
    delay: null,
  },
};

/** A task whose first step is asked about. */
class Asked {
  task: Task;
  now = 1_000_000;

  constructor(step: object) {
    const definition: FlowDefinition = flow([step as StepPlan]);
    const options = { taskId: 't', moment: this.moment() };
    this.task = createTask({ definition, version: 1 }, { parameters: {} }, options).task;
  }

  private moment() {
    return { now: this.now, chance: 0.5, timing: DEFAULT_TIMING };
  }

  /**
   * Applies an event and says how many questions and messages follow; `ignored` or `refused` where
   * it changes nothing.
   */
  apply(event: TaskEvent): string {
    const decision = transition(this.task, event, { moment: this.moment() });
    if (decision.kind !== 'moved') return decision.kind;
    this.task = decision.task;
    expect(taskFault(this.task)).toBeNull();
    return `asks ${askedIn(decision.effects).length}, sends ${decision.queued.length}`;
  }

  answer(values: Record<string, boolean>): string {
    const question = questionOf(this.task, REF)?.id ?? 'none';
    return this.apply({ kind: 'answered', ...REF, question, answer: { values } });
  }
}

describe.each([
  ['a step that is asked about before it starts', FIRST],
  ['a loop that is asked about after a round', LOOP],
])('%s', (_, step) => {
  it('is asked about again when its process begins anew, and nothing is sent', () => {
    expect(new Asked(step).apply({ kind: 'restarted', owner: 'e' })).toBe('asks 1, sends 0');
  });

  it('is asked about again once its time is over, and not before', () => {
    const asked = new Asked(step);
    const tick: TaskEvent = { kind: 'tick', crowded: new Map() };
    expect(asked.apply(tick)).toBe('ignored');
    asked.now += 6_000;
    expect(asked.apply(tick)).toBe('asks 1, sends 0');
  });

  it('takes no answer while the task is paused, and is asked about again after that', () => {
    const asked = new Asked(step);
    asked.apply({ kind: 'pause_requested', ...PERSON });
    expect(asked.answer({ if: true, while: false })).toBe('ignored');
    expect(asked.apply({ kind: 'resume_requested', ...PERSON })).toBe('asks 1, sends 0');
    expect(asked.answer({ if: true, while: false })).not.toBe('ignored');
  });

  it('is taken by nobody, and an answer to another question is late', () => {
    const asked = new Asked(step);
    expect(asked.apply({ kind: 'claimed', ...REF, attempt: 1, owner: 'e' })).toBe('ignored');
    const answer = { values: { if: true, while: true } };
    expect(asked.apply({ kind: 'answered', ...REF, question: 'x', answer })).toBe('ignored');
  });

  it('ends with the task when a person has it roll back', () => {
    const asked = new Asked(step);
    asked.apply({ kind: 'rollback_requested', ...PERSON });
    expect(asked.task.outcome).toBe('rolled_back');
  });
});
