import { ADMISSION, MODULE_LIMIT, QUEUED_ACTION, WAITING_ACTION, WORKER_DRAIN } from '#ports';
import type { RecordSamples } from './record-samples.js';
import { SAMPLE_TIME } from './sample-task.js';

/** Samples of what is kept for the limits of modules, and for workers. */
export const LIMIT_SAMPLES: readonly RecordSamples[] = [
  {
    kind: MODULE_LIMIT,
    member: 'updatedBy',
    sample: (n) => {
      const limits = { maxConcurrency: 1 + n, ratePerSecond: 0.5, fairBy: 'a.$b' };
      const updated = { fairSince: 0, updatedAt: SAMPLE_TIME, updatedBy: 'ann' };
      return {
        module: `record-${String(n).padStart(3, '0')}`,
        generation: 1,
        ...limits,
        ...updated,
      };
    },
  },
  {
    kind: ADMISSION,
    member: 'turn',
    sample: (n) => {
      const place = { taskId: 't', direction: 'rollback', step: 3 } as const;
      const actions = [{ ...place, revision: 7, by: null, at: SAMPLE_TIME }];
      const rate = { nextAt: SAMPLE_TIME, turn: SAMPLE_TIME + 0.5 };
      return {
        module: `record-${String(n).padStart(3, '0')}`,
        revision: 1,
        actions,
        ...rate,
        counted: 0,
      };
    },
  },
  {
    kind: QUEUED_ACTION,
    member: 'command',
    sample: (n) => {
      const action = { module: 'm', command: 'größe', run: 'a/1', type: 1 } as const;
      const taskId = `record-${String(n).padStart(3, '0')}`;
      return { ...action, taskId, orderAt: SAMPLE_TIME + n };
    },
  },
  {
    kind: WAITING_ACTION,
    member: 'group',
    sample: (n) => {
      const place = {
        taskId: `record-${String(n).padStart(3, '0')}`,
        direction: 'normal',
        step: 3,
      } as const;
      return { ...place, module: 'm', group: 'größe', turn: SAMPLE_TIME + n };
    },
  },
  {
    kind: WORKER_DRAIN,
    member: 'since',
    sample: (n) => ({ worker: `record-${String(n).padStart(3, '0')}`, since: SAMPLE_TIME }),
  },
];
