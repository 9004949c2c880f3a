import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isFlowFileName } from '#flow-files';
import { drill, DrillFailed, type DrillGateway } from '#workshop/drill';
import {
  compare,
  type FoundFlow,
  readFlows,
  readScenarios,
  type TestedFlow,
  type TestedScenario,
} from '#workshop/flow-test';
import type { Fault } from '#workshop/rehearsal';
import { BackstepClient } from '../client/backstep-client.js';
import { followTask, type Sight, standsStill } from '../client/follow-task.js';
import type { TaskReport } from '../client/types.js';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, readDuration, restArgs, textArg, textOption } from '../tree/call.js';
import { executorFiles } from './own-executors.js';
import { readParameters } from './parameters.js';
import { showTried, summaryOf } from './show-tried.js';
import { asUsage } from './unusable-file.js';

/** Longest wait for a gateway, in milliseconds: a drill may take long, and its answer may not. */
const GATEWAY_MS = 30_000;

/** The flow that is drilled, as its file defines it. */
interface DrilledFlow {
  readonly name: string;
  readonly hash: string;
}

/** `flow drill`: every step of a flow fails with its real executors, and what is left is shown. */
export async function flowDrill(session: Session, call: Call): Promise<ExitCode> {
  session.limit();
  const name = textArg(call, 0);
  const folder = folderOf(session, call);
  const all = await readFolder(folder, name);
  const flow = all.find(({ definition }) => definition.name === name);
  if (flow === undefined) throw new CliError(EXIT.usage, `there is no flow ${name} in ${folder}`);
  const restMs = readDuration(textOption(call, 'restWithin') ?? '60s', '--rest-within');
  const executors = executorFiles(session, call);
  const stage = { executors, flags: { ...passedOn(session), flows: folder } };
  const isKept = call.options['record'] === true;
  const drilled = { name, hash: flow.hash };
  // Known before: a drill takes its time.
  const version = isKept ? await versionOf(session.brief(GATEWAY_MS), drilled) : null;
  const tested: TestedFlow[] = [];
  for (const scenario of await scenariosOf(flow, all, { session, call })) {
    const { definition } = flow;
    const { signal } = session;
    const onPlay = progressOf(session, `${name}, scenario ${scenario.name}`);
    const order = { definition, scenario, stage, connect, restMs, signal, onPlay };
    const trials = await drill(order).catch(asExit);
    tested.push(compare(name, scenario, trials));
  }
  const passed = tested.every((one) => one.passed);
  if (session.options.output === 'json') session.printJson({ passed, flows: tested });
  else tested.forEach((one) => showTried(one, session, 'with real executors'));
  session.say(summaryOf(tested));
  if (version !== null) await keep(session, { name, version }, tested);
  return passed ? EXIT.done : EXIT.endedOtherwise;
}

async function keep(
  session: Session,
  drilled: { readonly name: string; readonly version: number },
  tested: readonly TestedFlow[],
): Promise<void> {
  await recordDrill(session.brief(GATEWAY_MS), drilled, tested);
  session.say(`The gateway keeps this as the drill of version ${drilled.version}.`);
}

function folderOf({ terminal }: Session, call: Call): string {
  const written = textOption(call, 'flows') ?? terminal.env['BACKSTEP_FLOWS'] ?? 'flow-configs';
  return path.resolve(terminal.cwd, written);
}

/** A file with mistakes is in the way only where the flow is in none of the others. */
async function readFolder(folder: string, name: string): Promise<readonly FoundFlow[]> {
  const files = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(EXIT.usage, `${folder} cannot be read: ${error.code}`);
  });
  const own = files.filter(isFlowFileName).toSorted();
  const read = await Promise.allSettled(own.map((file) => readFlows(file, { cwd: folder })));
  const flows = read.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const wrong = read.find((one) => one.status === 'rejected');
  const isThere = flows.some(({ definition }) => definition.name === name);
  if (wrong !== undefined && !isThere) asUsage(wrong.reason);
  return flows;
}

async function scenariosOf(
  { definition, testFiles }: FoundFlow,
  all: readonly FoundFlow[],
  { call, session }: { readonly call: Call; readonly session: Session },
): Promise<readonly TestedScenario[]> {
  const written = { input: textOption(call, 'input'), pairs: restArgs(call) };
  const parameters = await readParameters(written, session.terminal);
  const known = all.map((flow) => flow.definition);
  const scenarios = await readScenarios(definition, testFiles, known).catch(asUsage);
  const given = (parameters ?? {}) as TestedScenario['parameters'];
  return scenarios.map((scenario) => {
    return { ...scenario, parameters: { ...scenario.parameters, ...given } };
  });
}

function connect(url: string, signal: AbortSignal): DrillClient {
  return new DrillClient(url, signal);
}

function asExit(error: unknown): never {
  if (!(error instanceof DrillFailed)) throw error;
  throw new CliError(error.isWrongOrder ? EXIT.usage : EXIT.endedOtherwise, error.message);
}

/** The settings that a flow itself may depend on; all others are the drill's own. */
function passedOn({ terminal }: Session): Readonly<Record<string, string>> {
  const { BACKSTEP_FLOW_ENV: flowEnv, BACKSTEP_HTTP_ALLOW: httpAllow } = terminal.env;
  return { ...(flowEnv && { flowEnv }), ...(httpAllow && { httpAllow }) };
}

/** Says what is drilled now: a line for each step and its rollback; with -v, for each failure. */
function progressOf(session: Session, scenario: string): (faults: readonly Fault[]) => void {
  let said = '';
  return (faults) => {
    const fault = faults.at(-1);
    const undo = fault?.direction === 'rollback' ? 'undo ' : '';
    const name = fault === undefined ? 'without a failure' : `${undo}${fault.run}`;
    if (name !== said) session.say(`drilling ${scenario}: ${name}`);
    said = name;
    if (fault !== undefined) session.sayMore(`  ${fault.how} ${fault.where} its effect`);
  };
}

/** The requests of a drill to the gateway of its stage. */
class DrillClient extends BackstepClient implements DrillGateway {
  constructor(url: string, signal: AbortSignal) {
    super({ url, signal, actor: 'drill', token: undefined, program: 'backstep' });
  }

  followTask(taskId: string, onTask: (task: TaskReport) => void): Promise<Sight> {
    return followTask(this, taskId, { onTask: ({ task }) => onTask(task) });
  }

  standsStill(task: TaskReport): boolean {
    return standsStill(task);
  }

  isUnreachable(error: unknown): boolean {
    return error instanceof CliError && error.exitCode === EXIT.unreachable;
  }
}

/**
 * The newest version of a gateway that is the flow of the file, and so is what a drill of the file
 * tells of. Throws a `CliError` where there is none.
 */
async function versionOf(client: BackstepClient, { hash, name }: DrilledFlow): Promise<number> {
  const found = (await client.listVersions(name)).find((one) => one.hash === hash);
  if (found !== undefined) return found.version;
  const sentence = `no version of ${name} there is the one of the file, so that nothing is drilled`;
  throw new CliError(EXIT.conflict, sentence, 'Store it first: `backstep flow put`.');
}

/** Keeps in a gateway how a version fared. */
async function recordDrill(
  client: BackstepClient,
  path: { readonly name: string; readonly version: number },
  tested: readonly TestedFlow[],
): Promise<void> {
  await client.ask('PUT /v1/flows/{name}/versions/{version}/drill', {
    path,
    body: figuresOf(tested),
  });
}

/** The undisturbed play of each scenario counts as one as well. */
function figuresOf(tested: readonly TestedFlow[]): {
  readonly failures: number;
  readonly total: number;
} {
  const failures = tested.reduce((sum, one) => sum + failuresOf(one), 0);
  return { failures, total: tested.reduce((sum, { cells }) => sum + cells.length + 1, 0) };
}

function failuresOf({ cells, passed }: TestedFlow): number {
  const unmet = cells.filter(({ met }) => !met).length;
  return passed ? 0 : Math.max(1, unmet);
}
