/** The embedded floor: a task is an insert and four conditional updates, nothing else. */
import { floorState, newFloorTask } from '../floors/floor-task.js';
import { SqliteFloor } from '../floors/sqlite-floor.js';
import { type Drive, Pump } from '../pump.js';
import { serve } from '../serve.js';
import { STEPS } from '../sizes.js';
import { addStamp, monotonicUs, takeStamps } from './bench-module.js';

const store = new SqliteFloor('floor.db');
const pump = new Pump(runTask);

serve({ drive: (drive: Drive) => pump.run(drive), stamps: takeStamps, stop: () => undefined });

async function runTask(flow: string): Promise<void> {
  const { document, taskId } = newFloorTask();
  const row = await store.insert(taskId, JSON.stringify(document), JSON.stringify(floorState(0)));
  for (let step = 0; step < STEPS; step += 1) {
    if (flow === 'bench-stamped') addStamp(taskId, step, monotonicUs());
    await store.update(row, step + 2, JSON.stringify(floorState(step + 1)));
  }
  pump.finished(1);
}
