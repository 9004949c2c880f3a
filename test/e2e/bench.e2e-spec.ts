import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BENCHMARKS } from '../../bench/benchmarks/index.js';
import type { Result } from '../../bench/results.js';
import { findServer, isMissing } from '../servers/index.js';
import { turnOfCode } from '../trial/turn.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MINUTES = 60_000;

interface Report {
  readonly results: readonly Result[];
  readonly skipped: readonly string[];
}

const DISTRIBUTED = BENCHMARKS.filter(({ deployment }) => deployment === 'distributed');
/**
 * Distributed benchmarks differ in what they compare, not in method: the code picks one in turn.
 */
const { name: whoseTurn } = DISTRIBUTED[turnOfCode() % DISTRIBUTED.length]!;
const ONLY = ['standalone', `distributed ${whoseTurn}`].flatMap((name) => ['--only', name]);

const hasStack = !isMissing(findServer('mongo')) && !isMissing(findServer('rabbitmq'));
const hasRedis = !isMissing(findServer('redis'));

let folder: string;
let report: Report;
let printed: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'backstep-bench-spec-'));
  const json = path.join(folder, 'results.json');
  const args = ['scripts/run.mjs', 'dist/bench/main.js', '--quick', ...ONLY, '--json', json];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  printed = stdout;
  report = JSON.parse(await readFile(json, 'utf8')) as Report;
}, 30 * MINUTES);

afterAll(() => rm(folder, { recursive: true, force: true }));

function find(deployment: string, name: string): Result | undefined {
  return report.results.find((one) => one.deployment === deployment && one.name === name);
}

describe('the bench', () => {
  it('writes every result in the shape that others read', () => {
    expect(report.results.length).toBeGreaterThan(0);
    for (const result of report.results) {
      expect(typeof result.name).toBe('string');
      expect(typeof result.unit).toBe('string');
      expect(['standalone', 'distributed']).toContain(result.deployment);
      for (const value of [result.median, result.min, result.max]) {
        expect(Number.isFinite(value)).toBe(true);
      }
      expect(result.min).toBeLessThanOrEqual(result.median);
      expect(result.median).toBeLessThanOrEqual(result.max);
    }
  });

  it('has a ratio wherever it has measured what it compares with', () => {
    for (const { floor, median, ratio } of report.results) {
      if (floor === null) expect(ratio).toBeNull();
      else if (ratio !== null) expect([floor / median, median / floor]).toContain(ratio);
      else expect(floor === 0 || median === 0).toBe(true);
    }
  });

  it('names no result twice', () => {
    const names = report.results.map(({ deployment, name }) => `${deployment} ${name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(['throughput', 'hand-over alone p50', 'create', 'get', 'list', 'memory'])(
    'measures %s standalone beside a floor of the same run',
    (name) => {
      expect(find('standalone', name)?.floor).not.toBeNull();
      expect(find('standalone', name)?.median).toBeGreaterThan(0);
    },
  );

  it('measures long and wide tasks beside short ones', () => {
    const shapes = report.results.filter(({ name }) => name.endsWith('beside chains of 10'));
    expect(shapes).toHaveLength(3);
    for (const { ratio } of shapes) expect(ratio).toBeGreaterThan(0);
  });

  it('measures long loops beside short ones', () => {
    expect(find('standalone', 'loops of 1,000 rounds beside loops of 10')?.ratio).toBeGreaterThan(
      0,
    );
  });

  it('measures the distributed set too, or says what is missing', () => {
    const isThere = report.results.some(({ deployment }) => deployment === 'distributed');
    if (hasStack) expect(`${whoseTurn} ${isThere}`).toBe(`${whoseTurn} true`);
    else expect(report.skipped.join()).toContain('distributed');
  });

  it('stands beside BullMQ, or says that there is no Redis', () => {
    if (hasRedis) expect(find('standalone', 'throughput beside BullMQ everysec')).toBeDefined();
    else expect(report.skipped.join()).toContain('Redis');
  });

  it('tells how many finished tasks there really were, and judges nothing in a quick run', () => {
    expect(printed).toContain('with 2,000 finished tasks');
    expect(report.results.every(({ reached }) => reached === null)).toBe(true);
  });
});
