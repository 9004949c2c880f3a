import assert from 'node:assert/strict';
import {
  type ActionRef,
  DEFAULT_TIMING,
  directionOf,
  type Dispatch,
  type FlowDefinition,
  isFinal,
  statusName,
  TASK_STATUS,
  type Task,
  type TaskEvent,
} from '#core';
import { createTask, dispatchesOf, transition } from '#core/transitions';
import type { Course, Failures } from './reference-flow.js';

/** More than the longest course needs, waits included. */
const EVENTS_MAX = 5_000;

/**
 * Runs a task of a flow on the pure core: one action after the other, the first of the list first,
 * each until it has ended.
 */
export class FlowRun {
  readonly #attempts: string[] = [];
  readonly #failures: Readonly<Record<'<' | '>', number[]>>;
  #inbox: Dispatch[] = [];
  #now = 1_000_000;
  #task: Task;

  constructor(definition: FlowDefinition, { normal, rollback }: Failures) {
    this.#failures = { '>': [...normal], '<': [...rollback] };
    const options = { taskId: 't', moment: this.#moment };
    const flow = { definition, version: 1 };
    const { queued, task } = createTask(flow, { parameters: {} }, options);
    this.#task = task;
    this.#inbox.push(...dispatchesOf(task, queued));
  }

  /** Goes on until the task has ended, or a person is needed. */
  toTheEnd(): Course {
    for (let count = 0; !this.#isOver; count += 1) {
      assert.ok(count < EVENTS_MAX, 'the task does not come to an end');
      // A message that was called back may still come; its action is not queued any more.
      this.#inbox = this.#inbox.filter(({ message: { cursor: step, type } }) => {
        return this.#stateOf({ direction: directionOf(type), step }) === 'queued';
      });
      const first = this.#inbox.toSorted((a, b) => a.message.cursor - b.message.cursor)[0];
      assert.ok(first !== undefined, 'the task waits for nothing');
      this.#act(first);
    }
    return { attempts: this.#attempts, end: statusName(this.#task.status) as Course['end'] };
  }

  get #isOver(): boolean {
    const { status } = this.#task;
    return isFinal(status) || status === TASK_STATUS.rollback_failed;
  }

  get #moment() {
    return { now: this.#now, chance: 0.5, timing: DEFAULT_TIMING };
  }

  /** All attempts of one action. */
  #act({ message: { cursor, type } }: Dispatch): void {
    const step = cursor;
    const ref = { direction: directionOf(type), step } as const;
    const isIt = ({ message }: Dispatch) => message.cursor === step && message.type === type;
    const way = ref.direction === 'normal' ? '>' : '<';
    for (let fails = true; fails && !this.#isOver;) {
      const found = this.#inbox.find(isIt);
      if (found === undefined) {
        if (this.#stateOf(ref) !== 'waiting') return;
        this.#wait();
        continue;
      }
      this.#inbox = this.#inbox.filter((dispatch) => !isIt(dispatch));
      const { attempt } = found.message;
      this.#apply({ kind: 'claimed', ...ref, attempt, owner: 'e' });
      this.#attempts.push(`${way}${found.message.step}`);
      const left = this.#failures[way][step] ?? 0;
      fails = left > 0;
      this.#failures[way][step] = left - 1;
      const report = { ...ref, token: this.#task.token };
      if (fails) {
        this.#apply({
          kind: 'failed',
          ...report,
          terminal: false,
          failure: 'FAILED',
          message: 'no',
        });
      } else this.#apply({ kind: 'succeeded', ...report, output: null });
    }
  }

  #stateOf({ direction, step }: ActionRef): string | undefined {
    const runs = this.#task.runs[step];
    return (direction === 'normal' ? runs?.normal : runs?.rollback)?.state;
  }

  #wait(): void {
    this.#now = Math.max(this.#now + 1, this.#task.wakeAt ?? 0);
    this.#apply({ kind: 'tick', crowded: new Map() });
  }

  #apply(event: TaskEvent): void {
    const decision = transition(this.#task, event, { moment: this.#moment });
    assert.ok(decision.kind === 'moved' || event.kind === 'tick', `${event.kind} is refused`);
    if (decision.kind !== 'moved') return;
    this.#task = decision.task;
    this.#inbox.push(...dispatchesOf(decision.task, decision.queued));
  }
}
