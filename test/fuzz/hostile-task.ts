import * as fc from 'fast-check';
import {
  type CommandStep,
  type DoneAction,
  Journal,
  type JsonObject,
  type StepPlan,
  type Task,
} from '#core';
import { nextOf, sampleTask } from '#testing';
import {
  anyText,
  hostileObject,
  nestedObject,
  sizedObject,
  wellFormedText,
} from './hostile-values.js';

/** Nesting at which something on the way has its limit, and one beside it. */
const DEPTHS = [63, 64, 65, 66, 99, 100, 101, 400];
/** Sizes in bytes at which something on the way has its limit, and one beside it. */
const SIZES = [255, 256, 1_023, 1_024, 1_025, 65_535, 65_536, 262_143, 262_144, 262_145];

const content = fc.oneof(
  { weight: 12, arbitrary: hostileObject({ text: anyText }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...DEPTHS), fc.constantFrom<'list' | 'object'>('list', 'object'))
      .map(([depth, by]) => nestedObject(depth, by)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...SIZES), fc.constantFrom('x', 'é', '😀'))
      .map(([bytes, filler]) => sizedObject(bytes, filler)),
  },
);
const textOrNull = fc.option(anyText);
const labels = fc
  .uniqueArray(fc.tuple(wellFormedText, wellFormedText), {
    selector: ([name]) => name,
    maxLength: 4,
  })
  .map((entries): Record<string, string> => Object.fromEntries(entries));

/** The parts of a task that its owner chooses. */
export interface HostileParts {
  readonly parameters: JsonObject;
  readonly constants: JsonObject;
  readonly output: JsonObject | null;
  readonly flow: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly key: string | null;
  readonly hash: string | null;
  readonly message: string | null;
  readonly actor: string;
  readonly why: string;
  readonly done: readonly DoneAction[];
}

/** Parts of a task, all of them hostile. */
export const hostileParts: fc.Arbitrary<HostileParts> = fc.record({
  parameters: content,
  constants: content,
  output: fc.option(content),
  flow: wellFormedText,
  labels,
  key: fc.option(wellFormedText),
  hash: textOrNull,
  message: textOrNull,
  actor: anyText,
  why: anyText,
  done: fc.array(fc.record({ key: textOrNull, action: anyText, at: fc.nat() }), { maxLength: 2 }),
});

/** The task of these parts as inserted; no two of different numbers have the same key or flow. */
export function hostileTask(parts: HostileParts, number: number): Task {
  const { constants, flow, hash, key, labels, parameters } = parts;
  const sample = sampleTask();
  const steps = sample.plan.steps.map((step): StepPlan => {
    const { normal, ...rest } = step as CommandStep;
    return { ...rest, normal: { ...normal, parameters: constants } };
  });
  const plan = {
    parameters,
    labels,
    steps,
    flow: `${flow} ${number}`,
    idempotencyKey: key === null ? null : `${key} ${number}`,
    requestHash: hash,
  };
  return sampleTask(plan, { message: parts.message });
}

/** The task one commit later: what its command gave back, and what persons said about it. */
export function committedTask(task: Task, { actor, done, output, why }: HostileParts): Task {
  const [first, ...rest] = task.runs;
  if (first === undefined) throw new Error('the task has no step');
  const normal = { ...first.normal, output, message: why };
  const next = nextOf(task, { runs: [{ ...first, normal }, ...rest], doneActions: done });
  const last = { ...next.journal.at(-1)!, actor, message: why };
  return {
    ...next,
    message: why,
    journal: Journal.of([...next.journal.entries().slice(0, -1), last]),
  };
}
