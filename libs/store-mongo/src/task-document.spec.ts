import { describe, expect, it } from '@jest/globals';
import { BSON } from 'mongodb';
import {
  type CommandStep,
  DEFAULT_LIMITS,
  DEFAULT_TIMING,
  Journal,
  JOURNAL_MAX,
  questionOf,
  type StepPlan,
  type Task,
  type TaskEvent,
} from '#core';
import { runIdOf } from '#core/scopes';
import { askedIn, createTask, type Moved, type QueuedAction, transition } from '#core/transitions';
import { endedOf, eventfulTask, nextOf, sampleTask } from '#testing';
import { fromSafe, toSafe } from './bson-values.js';
import { commitUpdate } from './commit-update.js';
import { labelsToTexts, textsToLabels } from './labels.js';
import { StepLists } from './plan-document.js';
import { documentToTask, taskToDocument, type TaskDocument } from './task-document.js';

function throughBson(task: Task, lists: StepLists): Task {
  const bytes = BSON.serialize(taskToDocument(task, 'm', lists), { ignoreUndefined: true });
  return documentToTask(BSON.deserialize(bytes) as TaskDocument, lists);
}

describe('a stored task', () => {
  it('comes back as it was', () => {
    for (const task of [sampleTask(), eventfulTask(), endedOf(sampleTask())]) {
      expect(throughBson(task, new StepLists())).toEqual(task);
    }
  });

  it('shares its steps with other tasks of the same flow version', () => {
    const reading = new StepLists();
    const [one, two] = [sampleTask(), sampleTask()].map((task) => throughBson(task, reading));
    expect(one?.plan.steps).toBe(two?.plan.steps);
  });

  it('has a date for its moment only while it is live', () => {
    const lists = new StepLists();
    expect(taskToDocument(sampleTask(), 'm', lists).wakeAt).toBeInstanceOf(Date);
    expect(taskToDocument(endedOf(sampleTask()), 'm', lists)).not.toHaveProperty('wakeAt');
  });
});

const DOCUMENT_MAX = 16 * 1_048_576;
const TERMINAL = { terminal: true, failure: 'FAILED', message: '\ufffd'.repeat(9_999) } as const;

/** A task whose every action fails with the longest text there is, as long as anything moves. */
function wordyTask(count: number): Task {
  const moment = { now: 1_000, chance: 0, timing: DEFAULT_TIMING };
  const [first] = sampleTask().plan.steps;
  const steps = Array.from({ length: count }, (_, n) => {
    return {
      ...(first as CommandStep),
      name: `${'n'.repeat(60)}${n}`,
      needs: [],
      rollback: first!.normal!,
    };
  });
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const { queued, task } = createTask(
    { definition, version: 1 },
    { parameters: {} },
    { taskId: 't', moment },
  );
  let last = task;
  const move = (event: TaskEvent): readonly QueuedAction[] => {
    const decision = transition(last, event, { moment });
    if (decision.kind !== 'moved') throw new Error(decision.kind);
    last = decision.task;
    return decision.queued;
  };
  const claim = { kind: 'claimed', attempt: 1, owner: 'o'.repeat(60), leaseMs: 1 } as const;
  for (let open = queued; open.length > 0;) {
    const claimed = open.map(({ ref }) => ({
      ...ref,
      queued: move({ ...claim, ...ref }),
      token: last.token,
    }));
    open = claimed.flatMap(({ direction, step, token }) =>
      move({ kind: 'failed', direction, step, token, ...TERMINAL }),
    );
  }
  return last;
}

it.each([1, 100, 200, 1_000])('a task of %d wordy steps leaves room for its contents', (count) => {
  const task = wordyTask(count);
  const entry = task.journal
    .entries()
    .reduce((a, b) => ((b.message ?? '') > (a.message ?? '') ? b : a));
  const journal = Array.from({ length: JOURNAL_MAX }, (_, n) => ({ ...entry, seq: n + 1 }));
  const document = taskToDocument({ ...task, journal: Journal.of(journal) }, 'm', new StepLists());
  const bytes = BSON.calculateObjectSize(document, { ignoreUndefined: true });
  const states = new Set(task.runs.map(({ normal }) => normal.state));
  expect([...states].filter((state) => state !== 'failed' && state !== 'terminated')).toEqual([]);
  expect(bytes).toBeLessThan(DOCUMENT_MAX - DEFAULT_LIMITS.contentBytes - 1_048_576);
});

const WORDY = { ...TERMINAL, error: 'E'.repeat(64) } as const;
const PERSON = { actor: 'p'.repeat(100), reason: 'r'.repeat(9_999), key: null };

/**
 * A loop of optional steps that all fail wordily, as do their rollbacks, each of which a person
 * skips; with as many runs as a task may have.
 */
function wordyLoop(): Task {
  const moment = { now: 1_000, chance: 0, timing: DEFAULT_TIMING };
  const first = sampleTask().plan.steps[0] as CommandStep;
  const steps = Array.from({ length: 13 }, (_, n): StepPlan => {
    const own = { name: `${'n'.repeat(60)}${n}`, needs: n === 0 ? [] : [n - 1] };
    return { ...first, rollback: first.normal, optional: true, ...own };
  });
  const loop = { steps, while: '{% x %}', until: null, max: 1_000, delay: null };
  const nothing = { description: null, input: null, timeoutMs: null };
  const definition = { name: 'f', ...nothing, steps: [{ name: 's', needs: [], loop } as StepPlan] };
  const options = { taskId: 't', moment };
  let last: Moved = createTask({ definition, version: 1 }, { parameters: {} }, options);
  const move = (event: TaskEvent): void => {
    const decision = transition(last.task, event, { moment });
    if (decision.kind !== 'moved') throw new Error(JSON.stringify(decision));
    last = decision;
  };
  while (last.task.turned === null) {
    const [asked] = askedIn(last.effects);
    const action = last.queued[0];
    if (asked !== undefined) {
      const { id = '' } = questionOf(last.task, asked) ?? {};
      move({ kind: 'answered', ...asked, question: id, answer: { values: { while: true } } });
    } else if (action !== undefined) {
      const { attempt, ref } = action;
      move({ kind: 'claimed', ...ref, attempt, owner: 'o'.repeat(60) });
      move({ kind: 'failed', ...ref, token: last.task.token, ...WORDY });
      if (ref.direction === 'normal') continue;
      move({ kind: 'skip_requested', ...PERSON, step: runIdOf(last.task, ref.step) });
    } else throw new Error('nothing is left to do');
  }
  return last.task;
}

it('a task of as many wordy runs as may be leaves room for its contents', () => {
  const task = wordyLoop();
  const { length } = task.runs;
  expect(length + task.scopes.length).toBeGreaterThan(DEFAULT_LIMITS.runs - 14);
  // A person's skip leaves the text of what failed.
  expect(task.runs.at(-1)?.rollback?.message).toMatch(/…$/);
  const document = taskToDocument(task, 'm', new StepLists());
  const bytes = BSON.calculateObjectSize(document, { ignoreUndefined: true });
  expect(bytes).toBeLessThan(DOCUMENT_MAX - DEFAULT_LIMITS.contentBytes);
}, 120_000);

describe('texts and labels', () => {
  it('survive UTF-8, and none becomes another one', () => {
    const texts = ['\ud800', '\ufffd', '\ufffdd800', '\ufffdfffd', 'a\u0000', '😀', ''];
    const stored = texts.map((text) => Buffer.from(toSafe(text)).toString());
    expect(new Set(stored).size).toBe(texts.length);
    expect(stored.map(fromSafe)).toEqual(texts);
  });

  it('keep names and values apart', () => {
    for (const labels of [{ 'a=b': 'c=d' }, { a: 'b=c=d' }, { '%3D': '%' }, { '': '=' }]) {
      expect(textsToLabels(labelsToTexts({ labels }))).toEqual(labels);
    }
    expect(labelsToTexts({ labels: { team: 'db' } })).toEqual(['team=db']);
  });
});

describe('the update of a commit', () => {
  it('names only what changed', () => {
    const task = sampleTask();
    const runs = task.runs.map((run, n) => {
      return n === 0 ? { ...run, normal: { ...run.normal, attempts: 1 } } : run;
    });
    const { $set, $push, $unset } = commitUpdate(task, nextOf(task, { runs, token: 1 }), 'm');
    expect(Object.keys($set).sort()).toEqual(['journalSeq', 'revision', 'steps.0', 'token']);
    expect(Object.keys($push).sort()).toEqual(['journal', 'writers']);
    expect($unset).toBeUndefined();
  });

  it('removes the moment and the terms of a task that has ended', () => {
    const task = sampleTask();
    expect(commitUpdate(task, endedOf(task), 'm').$unset).toEqual({ terms: '', wakeAt: '' });
  });

  it('keeps the journal as long as the new one is', () => {
    const task = sampleTask();
    const next = nextOf(task);
    const trimmed = { ...next, journal: Journal.of(next.journal.entries().slice(1)) };
    const { journal } = commitUpdate(task, trimmed, 'm').$push as { journal: { $slice: number } };
    expect(journal.$slice).toBe(-1);
    const cleared = commitUpdate(task, nextOf(task, { journal: Journal.of([]) }), 'm');
    expect(cleared.$set['journal']).toEqual([]);
    expect(cleared.$push).not.toHaveProperty('journal');
  });
});
