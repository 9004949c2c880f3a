import { plainLine } from '#wording';
import { ApiError } from '../client/api-error.js';
import type { JsonObject, TaskOrder, TaskReceipt } from '../client/types.js';
import { awaitTask, showTask } from '../drawing/show-task.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import {
  type Call,
  listOption,
  readDuration,
  restArgs,
  textArg,
  textOption,
} from '../tree/call.js';
import { idempotencyKey } from './idempotency-key.js';
import { readNumber, readPairs, readParameters } from './parameters.js';
import { parseObject } from './parse-object.js';
import { createdColumn } from './tasks.js';

/** How long a person who started a task waits for a warning at most, in milliseconds. */
const ANSWER_MS = 2_000;

/** `task start` */
export async function taskStart(session: Session, call: Call): Promise<ExitCode> {
  const order = await readOrder(session, call);
  const { wait, watch } = call.options;
  const follows = wait !== undefined || watch === true;
  const waitMs = typeof wait === 'string' ? readDuration(wait, '--wait') : undefined;
  session.limit(follows ? undefined : 30_000, waitMs);
  const client = session.client();
  const key = await idempotencyKey(call);
  const words = `Whether the task was made is not known; the same command with this makes it once, or finds it:
  --idempotency-key ${key}`;
  const unclear = session.onAbort(words);
  const receipt = await client.createTask(order, key).catch((error: unknown) => {
    if (isUnclear(error) && !session.signal.aborted) session.say(words);
    throw error;
  });
  unclear.takeBack();
  const { taskId } = receipt;
  if (!session.options.quiet) await warnOfUnserved(session, receipt);
  if (!follows) {
    printReceipt(session, receipt);
    if (session.options.output === 'table')
      session.say(`next: ${session.typed(`task watch ${taskId}`)}`);
    return EXIT.done;
  }
  session.sayMore(`task ${taskId}`);
  const leaving = session.onAbort(`The task goes on: ${session.typed(`task watch ${taskId}`)}`);
  const follow = watch === true ? showTask : awaitTask;
  const code = await follow(session, client, taskId);
  leaving.takeBack();
  return code;
}

/** Whether the request may have been carried out all the same. */
function isUnclear(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'STORE_UNAVAILABLE';
}

async function readOrder(session: Session, call: Call): Promise<TaskOrder> {
  const written = { input: textOption(call, 'input'), pairs: restArgs(call) };
  const parameters = await readParameters(written, session.terminal);
  const labels = listOption(call, 'label');
  const priority = readNumber(textOption(call, 'priority'), '--priority');
  const only = textOption(call, 'only');
  const given = listOption(call, 'given');
  return {
    flow: textArg(call, 0),
    ...(parameters !== undefined && { parameters }),
    ...(labels.length > 0 && { labels: readPairs(labels, 'a label') }),
    ...(priority !== undefined && { priority }),
    ...(only !== undefined && { only }),
    ...(given.length > 0 && { given: readOutputs(given) }),
  };
}

/** `step=json`, several times. */
function readOutputs(pairs: readonly string[]): Readonly<Record<string, JsonObject>> {
  const texts = Object.entries(readPairs(pairs, 'the output of a step'));
  return Object.fromEntries(
    texts.map(([step, text]) => [step, parseObject(text, `the output of ${step}`)]),
  );
}

function printReceipt(session: Session, receipt: TaskReceipt): void {
  if (session.options.output === 'json') return session.printJson(receipt);
  session.printRows([receipt], {
    name: ({ taskId }) => taskId,
    columns: [
      { title: 'TASK', value: ({ taskId }) => taskId },
      { title: 'FLOW', value: ({ flow, flowVersion }) => `${flow} v${flowVersion}` },
      { title: 'STATUS', value: ({ status }) => status },
      createdColumn,
    ],
  });
}

/**
 * Warns where no executor serves a module that the task's flow uses: the task waits for one,
 * however long. Says nothing where the modules cannot be found out now.
 */
async function warnOfUnserved(session: Session, receipt: TaskReceipt): Promise<void> {
  const missing = await unservedModules(session, receipt).catch(() => []);
  session.signal.throwIfAborted();
  for (const module of missing) {
    const list = session.typed('executor list');
    session.say(
      `warning: no executor serves module ${plainLine(module)}; its steps wait for one (${list})`,
    );
  }
}

async function unservedModules(
  session: Session,
  { flow, flowVersion }: TaskReceipt,
): Promise<readonly string[]> {
  const client = session.brief(ANSWER_MS);
  const [executors, { steps }] = await Promise.all([
    client.listExecutors(),
    client.getFlow(flow, `${flowVersion}`),
  ]);
  // A caller with limits sees no executors of modules that it may use all the same.
  const unserved = new Set(executors.unserved.map(({ module }) => module));
  return [...modulesIn(steps)].filter((module) => unserved.has(module)).toSorted();
}

/** The modules of all actions, in steps of whatever kind. */
function modulesIn(steps: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(steps)) for (const step of steps) modulesIn(step, found);
  else if (typeof steps === 'object' && steps !== null) addModules(steps, found);
  return found;
}

function addModules(node: object, found: Set<string>): void {
  const { command, module } = node as { readonly command?: unknown; readonly module?: unknown };
  if (typeof module === 'string' && typeof command === 'string') {
    found.add(module);
    return;
  }
  for (const member of Object.values(node)) modulesIn(member, found);
}
