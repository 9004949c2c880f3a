import { beforeEach, describe, expect, it } from '@jest/globals';
import { type FlowDefinition, isFinal, type JournalEntry, NO_RETRY, type Task } from '#core';
import { action, done, EngineWorld, fails, flow, settle } from '#testing';
import { spansOf } from './spans-of.js';
import type { ToldSpan } from './told-span.js';
import { attemptSpanId, startOf, startSpanId } from './trace-ids.js';

const RETRY = { ...NO_RETRY, attempts: 2 };

/** `a` can be undone; `b` needs it. */
const STEPS = [
  { name: 'a', needs: [], normal: action('m.a'), rollback: action('m.undo_a') },
  { name: 'b', needs: [0], normal: { ...action('m.b'), retry: RETRY }, rollback: null },
];

let world: EngineWorld;
let told: ToldSpan[];
let commits: { task: Task; entries: readonly JournalEntry[] }[];

beforeEach(() => {
  world = new EngineWorld();
  told = [];
  commits = [];
  const committed = (task: Task, entries: readonly JournalEntry[]): void => {
    commits.push({ task, entries });
    told.push(...spansOf(task, entries, { system: 'memory', now: world.clock.now() }));
  };
  Object.assign(world.observer, { committed });
});

async function ended(definition: FlowDefinition): Promise<Task> {
  await world.engine.start();
  const { plan } = await world.submit(definition);
  while (!isFinal((await world.task(plan.taskId)).status)) await settle();
  const stopped = world.engine.stop();
  await world.clock.advance(10_000);
  await stopped;
  return world.task(plan.taskId);
}

function spanOf(name: string, attempt = 1): ToldSpan {
  const found = told.filter((span) => {
    return span.name === name && (span.attributes['backstep.attempt'] ?? attempt) === attempt;
  });
  expect(found).toHaveLength(1);
  return found[0] as ToldSpan;
}

describe('the spans of a task that goes forward and back', () => {
  let task: Task;

  beforeEach(async () => {
    world.commands.scripts.set('m.b', () => fails('no', false));
    task = await ended(flow(STEPS));
  });

  it('are its start, each attempt, its turn and its end, and all others are of its start', () => {
    expect(told.map(({ name }) => name)).toEqual([
      'start test-flow',
      'process m.a',
      'process m.b',
      'process m.b',
      'turn back test-flow',
      'process m.undo_a',
      'end test-flow',
    ]);
    const start = startSpanId(task.plan.taskId);
    expect(told.map(({ parentId }) => parentId)).toEqual([null, ...Array(6).fill(start)]);
    expect(told[0]?.spanId).toBe(start);
    expect(new Set(told.map(({ spanId }) => spanId)).size).toBe(told.length);
  });

  it('are linked: a step with what it needs, a retry with what failed, an undo with what it undoes', () => {
    const a = spanOf('process m.a');
    const first = spanOf('process m.b', 1);
    expect(a.links).toEqual([]);
    expect(first.links).toEqual([{ spanId: a.spanId, relation: 'follows' }]);
    const again = spanOf('process m.b', 2);
    expect(again.links).toEqual([{ spanId: first.spanId, relation: 'retry_of' }]);
    const undo = spanOf('process m.undo_a');
    expect(undo.links).toEqual([{ spanId: a.spanId, relation: 'undoes' }]);
  });

  it('say what became of each attempt, and carry no words of anybody', () => {
    const { taskId } = task.plan;
    expect(spanOf('process m.b', 2)).toMatchObject({
      kind: 'consumer',
      error: 'FAILED',
      attributes: {
        'backstep.task.id': taskId,
        'backstep.flow': 'test-flow',
        'backstep.flow.version': 1,
        'backstep.step': 'b',
        'backstep.run': 'b',
        'backstep.attempt': 2,
        'backstep.direction': 'normal',
        'backstep.outcome': 'failed',
        'backstep.error.code': 'FAILED',
        'backstep.executor': 'executor-1',
        'error.type': 'FAILED',
        'messaging.system': 'memory',
        'messaging.destination.name': 'backstep.m',
        'messaging.operation.type': 'process',
        'messaging.message.conversation_id': taskId,
      },
    });
    expect(spanOf('process m.undo_a').attributes).toMatchObject({
      'backstep.direction': 'rollback',
      'backstep.outcome': 'succeeded',
    });
    expect(spanOf('end test-flow').attributes['backstep.task.status']).toBe('rolled_back');
    expect(JSON.stringify(told)).not.toContain('"no"');
  });

  it('have ids that everybody works out who has the document with the claim', () => {
    const half = { run: 'a', direction: 'normal' } as const;
    const claimed = commits.find(({ task: seen }) => startOf(seen, half, 1) !== undefined);
    const started = startOf(claimed!.task, half, 1);
    const id = attemptSpanId(task.plan.taskId, half, { attempt: 1, started });
    expect(spanOf('process m.a').spanId).toBe(id);
  });
});

it('a step without a command is named by its kind, and links lead to spans that were told', async () => {
  let tries = 0;
  world.commands.scripts.set('m.a', () => ((tries += 1) === 1 ? fails('no', false) : done()));
  const group = { name: 'g', needs: [], group: [STEPS[0]!], retry: RETRY, timeoutMs: null };
  await ended(flow([group, { ...STEPS[1]!, normal: action('m.b') }]));
  const ids = new Set(told.map(({ spanId }) => spanId));
  const links = told.flatMap((span) => span.links);
  expect(links.filter(({ spanId }) => !ids.has(spanId))).toEqual([]);
  expect(tries).toBe(2);
  const whole = told.filter(({ name }) => name === 'group g');
  expect(whole).toHaveLength(1);
  expect(whole[0]).toMatchObject({ kind: 'internal', links: [] });
  expect(whole[0]!.attributes).toMatchObject({ 'backstep.kind': 'group', 'backstep.step': 'g' });
  expect(Object.keys(whole[0]!.attributes).join()).not.toMatch(
    /messaging.destination|module|command/,
  );
  expect(spanOf('process m.b').links).toEqual([{ spanId: whole[0]!.spanId, relation: 'follows' }]);
});

it('a look at work that goes on is an event of its attempt, which has one span', async () => {
  let looks = 0;
  world.commands.scripts.set('m.a', async () => {
    await world.clock.advance(500);
    if ((looks += 1) === 3) return done();
    return { kind: 'not_finished', afterMs: 0, message: 'not yet' };
  });
  await world.engine.start();
  const { plan } = await world.submit(flow([{ ...STEPS[0]!, rollback: null }]));
  for (let n = 0; n < 200 && !isFinal((await world.task(plan.taskId)).status); n += 1) {
    await settle();
    await world.clock.advance(1_000);
  }
  const span = spanOf('process m.a');
  expect(span.events.map(({ name }) => name)).toEqual(['not_finished']);
  expect(span.endMs - span.startMs).toBeGreaterThanOrEqual(1_500);
  const stopped = world.engine.stop();
  await world.clock.advance(10_000);
  await stopped;
});

it('an attempt whose time was over before it could start has no span', async () => {
  const { task } = { task: await ended(flow([STEPS[0]!])) };
  const late: JournalEntry = { seq: 99, at: 5, kind: 'timed_out', step: 'a', direction: 'normal' };
  const terms = { system: 'memory', now: 5 };
  expect(spansOf(task, [{ ...late, attempt: 0 }], terms)).toEqual([]);
  expect(spansOf(task, [{ ...late, attempt: 1 }], terms)).toEqual([]);
});
