import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { untilTask } from '../ledger/index.js';
import type { Api, TaskView } from '../load/index.js';
import { waitUntil } from '../servers/wait-until.js';
import { type Case, type Client, type Doing, flowOf, type ProgressShown } from './cases.js';
import { ClientJournal, type JournalLine } from './client-journal.js';
import type { ClientProgram } from './client-program.js';
import type { FaultyProxy } from './faulty-proxy.js';

const WITHIN_MS = 60_000;

/** The parts that a case is played with. */
export interface Stage {
  readonly api: Api;
  readonly client: Client;
  /** Of the client: its journal and its gates. */
  readonly folder: string;
  readonly program: ClientProgram;
  readonly proxy: FaultyProxy;
}

/** A case that was played: its task at its end, and what the client wrote. */
export interface Played {
  readonly task: TaskView;
  readonly lines: readonly JournalLine[];
  /** The messages of its attempts. */
  readonly log: readonly string[];
}

/** Plays a case until its task has ended. */
export async function playCase(played: Case, stage: Stage): Promise<Played> {
  const { api, client, folder, proxy } = stage;
  const { during = [], faults = [], labels = {} } = played;
  proxy.order(faults);
  const body = { flow: flowOf(played, client).name, labels, parameters: {} };
  const created = await api.ask<TaskView>({ path: '/v1/tasks', body });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  const { taskId } = created.body;
  for (const doing of during) await act(doing, { ...stage, taskId });
  const task = await untilTask(api, taskId);
  await untilTroubled(proxy);
  const log = await logOf(taskId, { api, least: played.expect.log?.length ?? 0 });
  return { task, lines: new ClientJournal(folder).linesOf(taskId), log };
}

/** Until all trouble has come: a poll may be sent after the end of the task. */
function untilTroubled(proxy: FaultyProxy): Promise<void> {
  const probe = async (): Promise<void> => {
    if (proxy.pending.length > 0) throw new Error(JSON.stringify(proxy.pending));
  };
  return waitUntil(probe, { what: 'trouble has not come', deadlineMs: WITHIN_MS });
}

/** The messages of the attempts of a task. The last ones are stored soon after its end. */
async function logOf(
  taskId: string,
  { api, least }: { readonly api: Api; readonly least: number },
): Promise<readonly string[]> {
  let log: readonly string[] = [];
  const probe = async (): Promise<void> => {
    const { items } = await api.get<{ items: { message: string }[] }>(`/v1/tasks/${taskId}/logs`);
    log = items.map(({ message }) => message);
    if (log.length < least) throw new Error(`they are ${JSON.stringify(log)}`);
  };
  await waitUntil(probe, { what: 'the lines of the task', deadlineMs: WITHIN_MS });
  return log;
}

type TaskStage = Stage & { readonly taskId: string };

async function act(doing: Doing, stage: TaskStage): Promise<void> {
  const { api, folder, program, proxy, taskId } = stage;
  const journal = new ClientJournal(folder);
  if ('await' in doing) await journal.until(taskId, doing.await);
  else if ('open' in doing) await writeFile(path.join(folder, doing.open), '');
  else if ('act' in doing) await api.act(taskId, doing.act, { reason: 'a case' });
  else if ('complete' in doing) await complete(doing, stage);
  else if ('progress' in doing) await untilProgress(doing, stage);
  else if ('gateway' in doing) proxy.isAway = doing.gateway === 'away';
  else if ('stop' in doing) await stop(program, doing.stop);
  else if ('exit' in doing) expectExit(await program.exit, doing.exit);
  else program.start();
}

/** A worker that drains ends later. */
async function stop(program: ClientProgram, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const ended = program.signal(signal);
  if (signal === 'SIGKILL') await ended;
}

function expectExit(code: number | null, wanted: number): void {
  if (code !== wanted) throw new Error(`the client ended with exit code ${code}, not ${wanted}`);
}

/** The step waits from the moment on at which the gateway has the outcome of the command. */
async function complete(
  { complete: step, output }: { readonly complete: string; readonly output: object },
  { api, folder, taskId }: TaskStage,
): Promise<void> {
  const { completionToken: token, run } = await new ClientJournal(folder).until(
    taskId,
    `${step} token`,
  );
  await untilTask(api, taskId, ({ steps }) => steps.some(({ state }) => state === 'waiting'));
  const answer = await api.ask({
    path: `/v1/tasks/${taskId}/steps/${run}:complete`,
    body: { token, output },
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}

async function untilProgress(
  { progress, ...wanted }: ProgressShown,
  { api, taskId }: TaskStage,
): Promise<void> {
  const probe = async (): Promise<void> => {
    const { steps } = await api.task(taskId);
    const step = steps.find(({ name }) => name === progress) as unknown as {
      readonly progress?: object;
    };
    const shown = { ...step.progress, at: null };
    if (isDeepStrictEqual(shown, { ...wanted, at: null })) return;
    throw new Error(`it is ${JSON.stringify(step)}`);
  };
  await waitUntil(probe, { what: 'the progress is not shown', deadlineMs: WITHIN_MS });
}
