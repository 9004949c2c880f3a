import path from 'node:path';
import type { Bench } from './benchmark.js';
import { FLOWS } from './places.js';
import { Program } from './program.js';
import { Site } from './site.js';

/** Modules of the bench, all in one process. */
const MODULES = 'bench_a,bench_b,bench_c';

/** Backstep in one process, on a store of its own. */
export async function openStandalone(
  bench: Bench,
  { env = {}, flows = FLOWS, name, store }: StandaloneOptions,
): Promise<Site> {
  const folder = path.join(bench.folder, name);
  const lead = await Program.start({
    program: 'programs/backstep',
    name,
    folder,
    env: {
      BENCH_ROLE: 'standalone',
      BENCH_MODULES: MODULES,
      BACKSTEP_STORE: `sqlite:${store ?? path.join(folder, 'backstep.db')}`,
      BACKSTEP_DATA: folder,
      BACKSTEP_FLOWS: flows,
      BACKSTEP_HTTP: '127.0.0.1:0',
      BACKSTEP_LAB: 'on',
      // As many commands at a time as tasks are in flight; peers are set up in the same way.
      BACKSTEP_CONCURRENCY: String(bench.sizes.inFlight),
      ...env,
    },
  });
  return Site.of({ lead });
}

/** Options of a site of one process. */
export interface StandaloneOptions {
  readonly name: string;
  /** Folder of its flows. Default: those of the bench. */
  readonly flows?: string;
  /** File of its store. Default: a new one. */
  readonly store?: string;
  /** Further settings. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The bare store doing the same durable writes. */
export async function openSqliteFloor(bench: Bench): Promise<Site> {
  const folder = path.join(bench.folder, 'sqlite-floor');
  return Site.of({
    lead: await Program.start({ program: 'programs/sqlite-floor', name: 'floor', folder }),
  });
}

/** Bare routes that hand the steps of tasks out to workers, and take their outcomes. */
export async function openWorkerFloor(bench: Bench): Promise<Site> {
  const folder = path.join(bench.folder, 'worker-floor');
  return Site.of({
    lead: await Program.start({ program: 'programs/worker-floor', name: 'floor', folder }),
  });
}

/** A bare route doing the same store work; on a server where the environment names one. */
export async function openHttpFloor(
  bench: Bench,
  { env = {}, release = async () => {} }: HttpFloorOptions = {},
): Promise<Site> {
  const folder = path.join(bench.folder, 'http-floor');
  const lead = await Program.start({ program: 'programs/http-floor', name: 'floor', folder, env });
  return Site.of({ lead, release });
}

/** Options of a bare HTTP route. */
export interface HttpFloorOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly release?: () => Promise<void>;
}
