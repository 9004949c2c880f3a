import type { Api } from './api.js';

const FAIL = {
  module: 'lab',
  command: 'fail',
  parameters: { kind: 'terminal', message: 'told to' },
};

const effect = (name: string, retry = 0) => ({
  normal: { module: 'lab', command: 'effect', retry, parameters: { name } },
  rollback: { module: 'lab', command: 'undo_effect', parameters: { name } },
});

const sleep = (ms: number) => ({
  name: 'sleep',
  normal: { module: 'lab', command: 'sleep', retry: 20, parameters: { ms } },
});

/** Flows of the practice module for the tests. */
export const PRACTICE_FLOWS = {
  /** An effect, then so long a step that a person can act. */
  'lab-long': [{ ...effect('before'), name: 'before' }, sleep(240_000)],
  /** Long enough for a stop to wait for it. */
  'lab-second': [sleep(1_000), { ...effect('after'), name: 'after' }],
  /** A rollback that fails until a person acts, and then again. */
  'lab-stuck': [
    { ...effect('first'), name: 'first' },
    { name: 'stuck', normal: { module: 'lab', command: 'succeed' }, rollback: FAIL },
    { name: 'fail', normal: FAIL },
  ],
  /** A rollback that fails once: the first retry of a person ends it. */
  'lab-stuck-once': [
    { ...effect('first'), name: 'first' },
    {
      name: 'stuck',
      normal: { module: 'lab', command: 'succeed' },
      rollback: { module: 'lab', command: 'flaky', parameters: { failures: 1 } },
    },
    { name: 'fail', normal: FAIL },
  ],
  /** Sleeps on one executor, then does something durable; a lost attempt is no failure. */
  'lab-sleep-effect': [
    { ...effect('before', 20), name: 'before' },
    sleep(400),
    { ...effect('after', 20), name: 'after' },
  ],
  /** Fails, and takes as long over its way back; a lost attempt is no failure. */
  'lab-sleep-undo': [
    { ...effect('before', 20), name: 'before' },
    {
      name: 'slow',
      normal: { module: 'lab', command: 'succeed' },
      rollback: { module: 'lab', command: 'sleep', retry: 20, parameters: { ms: 400 } },
    },
    { name: 'fail', normal: FAIL },
  ],
  /** A group in a group that fails in each of its tries: everything goes back. */
  'lab-group-fails': [
    { ...effect('before'), name: 'before' },
    {
      name: 'outer',
      retry: 1,
      group: [
        { ...effect('kept'), name: 'kept' },
        {
          name: 'inner',
          retry: 1,
          group: [
            { ...effect('tried'), name: 'tried' },
            { name: 'fail', normal: FAIL },
          ],
        },
      ],
    },
  ],
  /** A group that succeeded and is undone as a whole by what fails after it. */
  'lab-group-undone': [
    { name: 'both', group: [effect('one'), effect('two')] },
    { name: 'fail', normal: FAIL },
  ],
  /** A rollback in a group that fails until a person acts; the group has another try then. */
  'lab-group-stuck': [
    {
      name: 'g',
      retry: 1,
      group: [
        { name: 'stuck', normal: { module: 'lab', command: 'succeed' }, rollback: FAIL },
        {
          name: 'check',
          normal: { module: 'lab', command: 'flaky', parameters: { failures: 0, tries: 1 } },
        },
      ],
    },
  ],
};

/** An effect of the practice module, as its page lists it. */
export interface EffectView {
  readonly taskId: string;
  readonly step: string;
  /** Id of the run that had it. */
  readonly id: string;
  readonly name: string;
  readonly applied: number;
  readonly undone: number;
}

/** The real effects of a task, as the executor of the practice module counted them. */
export async function effectsOf(api: Api, taskId: string): Promise<readonly EffectView[]> {
  const path = `/modules/lab/effects?taskId=${taskId}`;
  return (await api.get<{ items: EffectView[] }>(path)).items;
}
