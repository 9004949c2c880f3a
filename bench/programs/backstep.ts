/**
 * Backstep as it ships, in one of its roles, with modules that do nothing added and a way in that
 * is not HTTP. `BENCH_ROLE` is the role, `BENCH_MODULES` the modules.
 */
import 'reflect-metadata';
import { isFinal, type Task } from '#core';
import { FlowLibrary } from '#flow-files';
import { type ProcessContext, type ProcessParts, type ProcessPlan, startProcess } from '#process';
import { loadSettings } from '#settings';
import { labProcess } from '../../apps/lab/src/index.js';
import { ossProcess } from '../../apps/oss/src/index.js';
import { standaloneProcess } from '../../apps/standalone/src/index.js';
import { type Drive, type HandedIn, Pump } from '../pump.js';
import { serve, tell } from '../serve.js';
import { PARAMETERS } from '../sizes.js';
import { BenchModule, countWaits, takeStamps } from './bench-module.js';
import { Families } from './families.js';

const PLANS: Readonly<Record<string, ProcessPlan>> = {
  standalone: standaloneProcess,
  gateway: ossProcess,
  executor: labProcess,
};

const { BENCH_MODULES = '', BENCH_ROLE: role = 'standalone', ...environment } = process.env;
const modules = BENCH_MODULES.split(',').filter(Boolean);
const plan = PLANS[role]!;
const settings = loadSettings({ mode: 'start', flags: {}, env: environment, cwd: process.cwd() });
let flows: FlowLibrary | undefined;
const running = await startProcess({ ...plan, parts: withBenchModules }, settings);
const { context } = running;

let seeded: string[] | undefined;
const families = new Families(context.engine);
const pump = new Pump(submit);
noteFinished(role === 'standalone' ? (count) => pump.finished(count) : gathered());

serve({
  drive: (drive: Drive) => pump.run(drive),
  finished: (count: number) => pump.finished(count),
  seed,
  handIn: (tasks: HandedIn) => pump.handIn(tasks),
  park: () => submit('bench-waiting'),
  family: (name: string) => families.run(flowOf(name), {}),
  waits: countWaits,
  stamps: takeStamps,
  url: () => running.url,
  stop: () => running.stop(),
});

/** Creates a task; resolves when it is stored. */
async function submit(flowName: string): Promise<void> {
  const { task } = await context.engine.submit(flowOf(flowName), { parameters: PARAMETERS });
  seeded?.push(task.plan.taskId);
}

function flowOf(name: string): NonNullable<ReturnType<FlowLibrary['find']>> {
  const flow = flows?.find(name);
  if (flow === undefined) throw new Error(`${name} is not there`);
  return flow;
}

/** Flows are found where requests find them: in memory, and always the same object. */
async function withBenchModules(context: ProcessContext): Promise<ProcessParts> {
  const parts = await plan.parts(context);
  flows = parts.companions?.find((companion) => companion instanceof FlowLibrary);
  return { ...parts, modules: [...parts.modules, BenchModule.register(modules)] };
}

/**
 * Listens in on what the engine tells its own watch: it costs nothing that ships. The client that
 * hands in the next task hears of it a turn later: then the last command's slot is free.
 */
function noteFinished(note: (count: number) => void): void {
  const { watch } = context.engine;
  const committed = watch.committed.bind(watch);
  watch.committed = (task: Task, entries) => {
    committed(task, entries);
    if (!isFinal(task.status)) return;
    families.told(task);
    setImmediate(note, 1);
  };
}

/** Finished tasks of one moment are told together, to the client that hands in the next ones. */
function gathered(): (count: number) => void {
  let finished = 0;
  return (count) => {
    finished += count;
    if (finished > count) return;
    setTimeout(() => {
      tell({ finished });
      finished = 0;
    }, 1);
  };
}

/** Makes a number of finished tasks, to read. */
async function seed(count: number): Promise<readonly string[]> {
  seeded = [];
  await pump.run({ kind: 'paced', flow: 'bench-lab', ms: count * 5, perSecond: 200 });
  const ids = seeded;
  seeded = undefined;
  return ids;
}
