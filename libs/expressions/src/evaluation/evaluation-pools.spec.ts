import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Question } from '#core';
import { ManualClock } from '#testing';
import { waitUntil } from '../../../../test/servers/wait-until.js';
import { EvaluatorUnavailable } from '#ports';
import { ExpressionEvaluator } from './expression-evaluator.js';

/**
 * A process that writes down what it is asked and what it tells. It answers "slow" only once there
 * is a file, and ends as one that takes too long where it is asked "costly".
 */
const WORKER = `import { appendFileSync, existsSync } from 'node:fs';
  const folder = new URL('.', import.meta.url);
  const write = (name, line) => appendFileSync(new URL(name, folder), line + '\\n');
  process.on('message', ({ question: { members: [{ template }] } }) => {
    write('asked', process.pid + template);
    if (template.includes('costly')) return process.kill(process.pid, 'SIGALRM');
    const answer = () => {
      const isHeld = template.includes('slow') && !existsSync(new URL('go', folder));
      if (isHeld) return setTimeout(answer, 5);
      write('told', template);
      process.send({ kind: 'answer', answer: { values: {} } });
    };
    answer();
  });
  process.send({ kind: 'ready' });`;

let clock: ManualClock;
let folder: string;
let evaluator: ExpressionEvaluator;

beforeEach(() => {
  clock = new ManualClock();
  folder = mkdtempSync(path.join(tmpdir(), 'backstep-pools-'));
  const file = path.join(folder, 'worker.mjs');
  writeFileSync(file, WORKER);
  evaluator = new ExpressionEvaluator({ clock, workerUrl: pathToFileURL(file) });
});

afterEach(async () => {
  await evaluator.close();
  rmSync(folder, { recursive: true });
});

function linesOf(name: string): readonly string[] {
  const file = path.join(folder, name);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

function questionOf(flow: string, code: string): Question {
  const task = { id: 't', flow, version: 1, labels: {}, createdAt: 0 };
  const scene = { parameters: {}, input: {}, steps: {}, states: {}, task, index: null, now: 0 };
  return { members: [{ name: 'm', template: `{% ${code} %}`, as: 'json' }], scene };
}

async function untilAsked(count: number): Promise<void> {
  await waitUntil(async () => expect(linesOf('asked').length).toBeGreaterThanOrEqual(count), {
    what: 'questions under way',
    deadlineMs: 60_000,
  });
}

describe('the processes of expressions', () => {
  it('of tasks serve the next flow though one flow asks for more than there are', async () => {
    const slow = Array.from({ length: 20 }, () => evaluator.answer(questionOf('a', 'slow')));
    await untilAsked(3);
    expect(await evaluator.answer(questionOf('b', 'quick'))).toEqual({ values: {} });
    expect(linesOf('told')).toEqual(['{% quick %}']);
    writeFileSync(path.join(folder, 'go'), '');
    await Promise.all(slow);
  });

  it('that a flow has cost are not those that others use for a minute', async () => {
    await evaluator.answer(questionOf('a', 'costly'));
    const slow = Array.from({ length: 5 }, () => evaluator.answer(questionOf('a', 'slow')));
    await untilAsked(2);
    for (let turn = 0; turn < 5; turn += 1) await evaluator.answer(questionOf('b', 'quick'));
    expect(linesOf('asked').filter((line) => line.includes('slow'))).toHaveLength(1);
    writeFileSync(path.join(folder, 'go'), '');
    await Promise.all(slow);
    const own = (): readonly string[] => linesOf('asked').map((line) => line.split('{')[0]!);
    const used = new Set(own().slice(-1));
    await clock.advance(60_001);
    await evaluator.answer(questionOf('a', 'quick'));
    expect(used.has(own().at(-1)!)).toBe(false);
  });

  it('of drafts are one, which stands back behind all others', async () => {
    const plans = [new AbortController(), new AbortController()];
    const asks = plans.flatMap(({ signal }) => {
      return ['slow', 'slow'].map((code) => evaluator.answer(questionOf('a', code), signal));
    });
    await untilAsked(1);
    expect(await evaluator.answer(questionOf('a', 'quick'))).toEqual({ values: {} });
    const drafts = linesOf('asked').filter((line) => line.includes('slow'));
    expect(drafts).toHaveLength(1);
    expect(getPriority(parseInt(drafts[0]!, 10))).toBeGreaterThan(getPriority());
    writeFileSync(path.join(folder, 'go'), '');
    await Promise.all(asks);
  });

  it('of drafts end with the request, and with them what it has asked', async () => {
    const [gone, other] = [new AbortController(), new AbortController()];
    const asks = Array.from({ length: 20 }, () => {
      return evaluator.answer(questionOf('a', 'slow'), gone.signal);
    });
    await untilAsked(1);
    const patient = evaluator.answer(questionOf('a', 'quick'), other.signal);
    gone.abort();
    for (const ask of await Promise.allSettled(asks)) {
      expect(ask).toMatchObject({ reason: expect.any(EvaluatorUnavailable) });
    }
    expect(await patient).toEqual({ values: {} });
    expect(linesOf('told')).toEqual(['{% quick %}']);
    const late = evaluator.answer(questionOf('a', 'quick'), gone.signal);
    await expect(late).rejects.toThrow(EvaluatorUnavailable);
  });
});
