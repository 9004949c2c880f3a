import { setTimeout as delay } from 'node:timers/promises';
import { untilAllEnded } from '../ledger/index.js';
import type { Api } from '../load/index.js';
import type { SeededRandom } from '../trial/index.js';
import type { ClientProgram } from './client-program.js';

/** Time between two kills, and the parameter `ms` of a task, in milliseconds. */
const CALM_MS = [50, 800] as const;
const STEP_MS = [20, 400] as const;
/** Rounds whose tasks are under way at once. */
const ROUNDS_AT_ONCE = 8;
const WITHIN_MS = 300_000;

/** Kills of programs while tasks run. */
interface Kills {
  readonly programs: readonly ClientProgram[];
  /** Kills of each program. */
  readonly count: number;
  readonly api: Api;
  /** A task of each is created before each kill. */
  readonly flows: readonly string[];
  readonly random: SeededRandom;
}

/** Kills programs at random moments; resolves to the ids of the tasks once all have ended. */
export async function killAmidTasks(kills: Kills): Promise<readonly string[]> {
  const { api, count, flows, programs, random } = kills;
  const created: string[] = [];
  const beganAt: number[] = [];
  const left = programs.flatMap((program) => Array.from({ length: count }, () => program));
  while (left.length > 0) {
    beganAt.push(Date.now());
    for (const flow of flows) {
      created.push(await api.create(flow, { ms: random.between(...STEP_MS) }));
    }
    await delay(random.between(...CALM_MS));
    left.splice(random.between(0, left.length - 1), 1)[0]?.kill();
    const createdBefore = beganAt.at(-ROUNDS_AT_ONCE);
    if (createdBefore === undefined) continue;
    await untilAllEnded(api, { withinMs: WITHIN_MS, createdBefore });
  }
  await untilAllEnded(api, { withinMs: WITHIN_MS });
  return created;
}
