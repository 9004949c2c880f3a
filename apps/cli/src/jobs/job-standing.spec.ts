import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { ExpressionEvaluator } from '#expressions';
import { ManualClock } from '#testing';
import { Attempt } from '#worker';
import { FakeCluster } from '../../../../test/kubernetes/index.js';
import { waitUntil } from '../../../../test/servers/wait-until.js';
import { ITEM } from '../worker/stub-gateway-spec.js';
import { standingOf } from './job-standing.js';
import { JobTemplate } from './job-template.js';
import { KubeApi, type KubeObject } from './kube-api.js';
import { Launcher } from './launcher.js';

const job = (...conditions: JsonObject[]): KubeObject => {
  return { metadata: { name: 'j' }, status: { conditions } };
};
const holds = (type: string, reason: string) => ({ type, status: 'True', reason });

function pod(phase: string, state: JsonObject | null, status: JsonObject = {}): KubeObject {
  const containerStatuses = state === null ? [] : [{ name: 'main', state }];
  return {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'main' }, { name: 'beside' }] },
    status: { phase, containerStatuses, ...status },
  };
}

/** Its own time was over at 10:00:05. */
function overdue(state: JsonObject): KubeObject {
  const startTime = '2026-01-01T10:00:00Z';
  const object = pod('Failed', state, { startTime, reason: 'DeadlineExceeded' });
  return { ...object, spec: { ...(object['spec'] as JsonObject), activeDeadlineSeconds: 5 } };
}

/** It was told to go at 10:00:00. */
function deleted(object: KubeObject): KubeObject {
  const deletion = { deletionTimestamp: '2026-01-01T10:00:08Z', deletionGracePeriodSeconds: 8 };
  return { ...object, metadata: { ...object.metadata, ...deletion } };
}

const moved = (lastTransitionTime: string) => {
  return { ...holds('DisruptionTarget', 'Preemption'), lastTransitionTime };
};

const terminated = (exitCode: number, more: JsonObject = {}) => {
  return { terminated: { exitCode, ...more } };
};

/** The first container before the others has succeeded, the second one has failed. */
const INIT_FAILED = {
  initContainerStatuses: [
    { name: 'first', state: terminated(0) },
    { name: 'second', state: terminated(3, { message: 'no such bucket' }) },
  ],
};

describe('an action', () => {
  it.each([
    ['waits for a pod', job(), undefined, { kind: 'waits', words: 'it waits for a pod' }],
    ['runs', job(), pod('Running', { running: {} }), { kind: 'waits', words: null }],
    ['has succeeded', job(), pod('Succeeded', terminated(0)), { exit: { code: 0 } }],
    [
      'has used too much memory',
      job(),
      pod('Failed', terminated(137, { reason: 'OOMKilled' })),
      { kind: 'out_of_memory' },
    ],
    [
      'was evicted before it began',
      job(),
      pod('Failed', null, { reason: 'Evicted', message: 'low on disk' }),
      { kind: 'disrupted', words: 'the pod was taken away: Evicted: low on disk' },
    ],
    [
      'was preempted after its program had succeeded',
      job(),
      pod('Failed', terminated(0), { conditions: [holds('DisruptionTarget', 'Preemption')] }),
      { kind: 'exited', exit: { code: 0 } },
    ],
    [
      'has taken its time',
      job(holds('Failed', 'DeadlineExceeded')),
      pod('Failed', terminated(143)),
      { kind: 'timed_out' },
    ],
    [
      'has taken the time of its pod',
      job(holds('Failed', 'BackoffLimitExceeded')),
      overdue(terminated(143)),
      { kind: 'timed_out' },
    ],
    [
      'has lost its pod',
      job(holds('Failed', 'BackoffLimitExceeded')),
      undefined,
      { kind: 'disrupted' },
    ],
    [
      'runs, whatever is known of its Job',
      job(holds('Complete', '')),
      pod('Running', { running: {} }),
      { kind: 'waits' },
    ],
    ['has lost its output', job(holds('Complete', '')), undefined, { kind: 'unknown' }],
  ] as const)('%s', (...[, ofJob, ofPod, expected]) => {
    expect(standingOf(ofJob, ofPod)).toMatchObject(expected);
  });
});

describe('a container before the first one that failed', () => {
  it.each([
    [
      'fails the action with its exit code',
      pod('Failed', { waiting: { reason: 'PodInitializing' } }, INIT_FAILED),
      { kind: 'exited', exit: { code: 3 }, words: 'no such bucket' },
    ],
    [
      'does not where the pod was taken away',
      pod('Failed', null, { ...INIT_FAILED, reason: 'Evicted' }),
      { kind: 'disrupted' },
    ],
  ])('%s', (_, ofPod, expected) => {
    expect(standingOf(job(), ofPod)).toMatchObject(expected);
  });
});

describe('an exit code 0', () => {
  it.each([
    [
      'of a program that was preempted, and ended with 0 as it was told to stop',
      job(holds('Complete', '')),
      pod('Succeeded', terminated(0, { finishedAt: '2026-01-01T10:00:03Z' }), {
        conditions: [moved('2026-01-01T10:00:02Z')],
      }),
      { kind: 'disrupted' },
    ],
    [
      'of one that had succeeded before its node was drained',
      job(holds('Complete', '')),
      pod('Succeeded', terminated(0, { finishedAt: '2026-01-01T10:00:03Z' }), {
        conditions: [moved('2026-01-01T10:00:04Z')],
      }),
      { kind: 'exited', exit: { code: 0 } },
    ],
    [
      'of one that was deleted with its Job, and ended with 0 as it was told to stop',
      deleted(job()),
      deleted(pod('Succeeded', terminated(0, { finishedAt: '2026-01-01T10:00:00Z' }))),
      { kind: 'waits' },
    ],
    [
      'of one that had succeeded before it was deleted',
      deleted(job()),
      deleted(pod('Succeeded', terminated(0, { finishedAt: '2026-01-01T09:59:59Z' }))),
      { kind: 'exited', exit: { code: 0 } },
    ],
    [
      'of one that has taken its time, and ended with 0 as it was told to stop',
      job(holds('FailureTarget', 'DeadlineExceeded')),
      deleted(pod('Succeeded', terminated(0, { finishedAt: '2026-01-01T10:00:01Z' }))),
      { kind: 'timed_out' },
    ],
    [
      'of one whose pod had its own time, and that ended with 0 as it was told to stop',
      job(holds('Failed', 'BackoffLimitExceeded')),
      overdue(terminated(0, { finishedAt: '2026-01-01T10:00:06Z' })),
      { kind: 'timed_out' },
    ],
    [
      'of one that had succeeded before the time of its pod was over',
      job(holds('Failed', 'BackoffLimitExceeded')),
      overdue(terminated(0, { finishedAt: '2026-01-01T10:00:04Z' })),
      { kind: 'exited', exit: { code: 0 } },
    ],
  ] as const)('%s', (...[, ofJob, ofPod, expected]) => {
    expect(standingOf(ofJob, ofPod)).toMatchObject(expected);
  });
});

describe('a pod that does not start', () => {
  let folder: string;
  let cluster: FakeCluster;
  const ending = new AbortController();

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'standing-'));
    cluster = await FakeCluster.start({ folder });
  });
  afterEach(async () => {
    ending.abort();
    await cluster.stop();
    await rm(folder, { recursive: true });
  });

  it('tells why, and after two minutes without its image fails its attempt', async () => {
    cluster.jobs.fate = 'no_image';
    const clock = new ManualClock();
    const common = { url: cluster.url, agent: null, clock };
    const api = new KubeApi({ ...common, readToken: async () => undefined, say: () => {} });
    const containers = [{ name: 'main', image: 'none:0' }];
    const spec = { template: { spec: { containers } } };
    const text = JSON.stringify({ apiVersion: 'batch/v1', kind: 'Job', spec });
    const template = JobTemplate.read(text, 'job.json', new ExpressionEvaluator({ clock }));
    const parts = { api, clock, name: 'shop', namespace: 'default', secrets: [], template };
    const launcher = new Launcher(parts);
    void launcher.watch(ending.signal);
    const item = { ...ITEM, leaseMs: 1_000_000, attemptTimeLeftMs: Infinity };
    const attempt = new Attempt(item, { askedAt: clock.monotonic(), clock });
    const outcome = launcher.handle(attempt);
    const reported = async (): Promise<void> => {
      expect(attempt.takeProgress()?.message).toBe('ImagePullBackOff: no such image');
    };
    await waitUntil(reported, { what: 'the reason is told', deadlineMs: 30_000 });
    await clock.advance(130_000);
    expect(await outcome).toMatchObject({
      kind: 'fail',
      retryable: true,
      code: 'NOT_STARTED',
      message: expect.stringContaining('no such image'),
    });
    expect(cluster.table.list('jobs')).toEqual([]);
    attempt.close();
  });
});
