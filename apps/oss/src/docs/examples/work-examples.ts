import { TASK_ID } from './task-examples.js';

const claim = 'bsw_WyJrMSIsMDFhMjFmMDUiLDAsIm4iLDFd.Wm9kZS1vZi10aGUtY2xhaW0tNDMtbGV0dGVycy0xMjM';

const item = {
  claim,
  taskId: TASK_ID,
  flow: 'create-volume',
  step: 'format',
  run: 'format',
  direction: 'normal',
  module: 'storage',
  command: 'format_volume',
  parameters: { size: 40 },
  labels: { team: 'payments' },
  results: { reserve: { host: 'host-3' } },
  attempt: 1,
  idempotencyKey: `${TASK_ID}/format/normal`,
  forwardKey: `${TASK_ID}/format/normal`,
  fencingToken: 3,
  completionToken: 'bsc_n1_3hTz0iYxkq9V2mJr7uEo5wLbNcDfGpAsQeXtZvKyHgM',
  waitedMs: 120,
  leaseMs: 15_000,
  timeLeftMs: 300_000,
  attemptTimeLeftMs: 60_000,
  confirm: false,
  traceparent: null,
};

const held = { state: 'held', leaseMs: 30_000 };

/** Examples of the worker protocol, by the name of their schema. */
export const WORK_EXAMPLES: Readonly<Record<string, unknown>> = {
  WorkTerms: {
    protocols: [1],
    limits: {
      claimsPerPoll: 100,
      waitMs: 30_000,
      leaseMs: { min: 10_000, default: 30_000, max: 600_000 },
      logBytes: 65_536,
    },
  },
  PutWorker: {
    modules: {
      storage: {
        format_volume: {
          parameters: { type: 'object' },
          output: { required: ['volume'], properties: { volume: { type: 'string' } } },
        },
        drop_volume: {},
      },
    },
    slots: 8,
    host: 'node-1',
    build: '2026-11-27',
  },
  WorkerTerms: { heartbeatMs: 10_000 },
  PollWork: { worker: 'node-1/4711/x7k2', module: 'storage', max: 4, wait: '20s' },
  WorkItems: { items: [item] },
  RenewWork: {
    worker: 'node-1/4711/x7k2',
    claims: [{ claim, progress: { percent: 40 }, log: ['40 of 100 GiB'] }],
  },
  WorkRenewed: { claims: [{ claim, ...held }], heartbeatMs: 10_000 },
  RenewClaim: { progress: { state: 'formatting', percent: 40, message: 'vdb1' } },
  ClaimRenewed: { ...held, heartbeatMs: 10_000 },
  WorkDone: { output: { volume: 'v-17' }, poll: { max: 1 } },
  WorkFailed: { code: 'QUOTA', message: 'The host has no room.', retryable: false },
  WorkAgain: { after: '10s' },
  WorkLater: { timeout: '2h' },
  WorkReleased: { reason: 'The worker stops.' },
  WorkTaken: { taskStatus: 2, status: 'running' },
};
