import { describe, expect, it } from '@jest/globals';
import { type TaskMarks, StoreUnavailable } from '#ports';
import { ManualClock, MemoryStore, RecordingObserver, SAMPLE_TIME, sampleTask } from '#testing';
import { MarkSweep } from './mark-sweep.js';

const DAY_MS = 86_400_000;

/** Marks in memory: moments by the ids of their tasks. */
class MemoryMarks implements TaskMarks {
  readonly touchedAt = new Map<string, number>();
  fault: Error | null = null;

  async *oldTasks(before: number): AsyncGenerator<readonly string[]> {
    if (this.fault !== null) throw this.fault;
    for (const [taskId, at] of [...this.touchedAt]) if (at < before) yield [taskId];
  }

  async forget(taskIds: readonly string[], before: number): Promise<number> {
    const old = taskIds.filter((taskId) => (this.touchedAt.get(taskId) ?? before) < before);
    return old.filter((taskId) => this.touchedAt.delete(taskId)).length;
  }
}

function world() {
  const store = new MemoryStore();
  const clock = new ManualClock(SAMPLE_TIME + DAY_MS);
  const observer = new RecordingObserver();
  const [marks, others] = [new MemoryMarks(), new MemoryMarks()];
  const parts = { finals: store.finals, clock, observer, keptMs: DAY_MS };
  const sweep = new MarkSweep({ ...parts, marks: async () => [marks, others] });
  return { store, clock, observer, marks, others, sweep };
}

describe('a sweep of marks', () => {
  it('has old marks forgotten of tasks that are gone, in every barrier', async () => {
    const { clock, marks, observer, others, store, sweep } = world();
    const task = sampleTask();
    await store.insert(task);
    const { taskId } = task.plan;
    for (const id of [taskId, 'gone']) marks.touchedAt.set(id, SAMPLE_TIME - 1);
    marks.touchedAt.set('young', SAMPLE_TIME);
    others.touchedAt.set('gone', SAMPLE_TIME - 1);
    expect(await sweep.tick()).toBe(2);
    expect([...marks.touchedAt.keys()]).toEqual([taskId, 'young']);
    expect([...others.touchedAt.keys()]).toEqual([]);
    await clock.advance(1);
    expect(await sweep.tick()).toBe(1);
    expect(await sweep.tick()).toBe(0);
    expect([...marks.touchedAt.keys()]).toEqual([taskId]);
    expect(sweep.forgotten).toBe(3);
    expect(observer.named('marks_forgotten')).toHaveLength(2);
  });

  it('tells of an obstacle once, and goes on when it is gone', async () => {
    const { marks, observer, others, sweep } = world();
    others.touchedAt.set('gone', 0);
    marks.fault = new StoreUnavailable('away');
    for (let n = 0; n < 2; n += 1) expect(await sweep.tick()).toBe(0);
    expect(observer.named('mark_sweep_failed')).toHaveLength(1);
    marks.fault = null;
    expect(await sweep.tick()).toBe(1);
    marks.fault = new StoreUnavailable('away again');
    await sweep.tick();
    expect(observer.named('mark_sweep_failed')).toHaveLength(2);
  });
});
