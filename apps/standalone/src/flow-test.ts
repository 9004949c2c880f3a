import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DynamicModule, Type } from '@nestjs/common';
import { readStoredJson } from '#core';
import { newSecret, SystemEntropy } from '#machine';
import type { ProcessHandle } from '#process';
import { StepFaults } from './step-faults.js';
import { startAround } from './start-standalone.js';

/** Options of a flow test. */
export interface FlowTestOptions {
  /** Nest modules whose controllers are executors: classes with `@Executor` and `@Command`. */
  readonly modules: readonly (Type | DynamicModule)[];
  /** Folder of flow files. */
  readonly flows: string;
}

/** Options of one run. */
export interface RunOptions {
  /**
   * Name of a step that fails for good before its command is called. Everything before it, and it
   * itself, is undone as the flow says.
   */
  readonly failAt?: string;
}

/** One step of a task, as far as tests look at it; docs/http-api.md has all members. */
export interface TestedStep {
  readonly name: string;
  /** `succeeded`, `failed`, `timed_out`, `skipped` ... */
  readonly state: string;
  readonly message: string | null;
  /** The output of the command. */
  readonly output: Readonly<Record<string, unknown>> | null;
  /** Null where the flow has no way back for it; its state is `none` where it was not needed. */
  readonly rollback: { readonly state: string; readonly message: string | null } | null;
}

/** A task that has stopped moving. */
export interface TestedTask {
  readonly taskId: string;
  /** `succeeded`, `rolled_back`, `rollback_failed` ... */
  readonly status: string;
  /** Why it ended so; null where it succeeded. */
  readonly taskMessage: string | null;
  /** The parameters that were sent, and the results of the steps. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly steps: readonly TestedStep[];
}

/** Backstep at work for a test. Made by `startFlowTest`. */
export interface FlowTest {
  /** Where its HTTP interface is. */
  readonly url: string;
  /**
   * Makes a task of the flow and waits until it has stopped moving. Throws where the request is
   * refused, with the reasons in its message.
   */
  run(
    flow: string,
    parameters?: Readonly<Record<string, unknown>>,
    options?: RunOptions,
  ): Promise<TestedTask>;
  /** Lets running commands end, stops everything and removes the temporary folder. */
  stop(): Promise<void>;
}

/** Only what hangs reaches it. */
const WAIT = '60s';

/**
 * Starts Backstep in this process, on a store in a temporary folder and without any server, to try
 * flows with the executors that run them. Stop it with `stop()`, which removes the folder. Throws
 * what could not start, such as a flow file with a mistake in it. Lines that commands log, and
 * those of Nest's `Logger`, are on standard error; `BACKSTEP_LOG=info` adds stack traces of what
 * failed.
 */
export async function startFlowTest(options: FlowTestOptions): Promise<FlowTest> {
  const folder = await mkdtemp(path.join(tmpdir(), 'backstep-test-'));
  const faults = new StepFaults();
  // Flows with secrets can be tried as they are; nothing that is sealed outlives the test.
  const { secret: secretKey } = newSecret();
  // An author hears of the own code; what Backstep says of each step, only if asked for.
  const ownLog = process.env['BACKSTEP_LOG'] === undefined ? { log: 'error' } : {};
  try {
    const running = await startAround(
      {
        ...options,
        store: path.join(folder, 'backstep.db'),
        http: '127.0.0.1:0',
        settings: { transport: 'memory:', data: folder, ...ownLog, secretKey },
      },
      {
        ...(ownLog.log !== undefined && { authorLevel: 'info' }),
        decorate: (ports) => ({ ...ports, catalogue: faults.around(ports.catalogue) }),
      },
    );
    return new TestedFlows(running, faults, folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

class TestedFlows implements FlowTest {
  readonly #entropy = new SystemEntropy();

  constructor(
    private readonly running: ProcessHandle,
    private readonly faults: StepFaults,
    private readonly folder: string,
  ) {}

  get url(): string {
    return this.running.url;
  }

  async run(
    flow: string,
    parameters: Readonly<Record<string, unknown>> = {},
    { failAt }: RunOptions = {},
  ): Promise<TestedTask> {
    const key = this.#entropy.newId();
    const send = (query: string): Promise<TestedTask> => {
      const body = { flow, parameters, idempotencyKey: key };
      return post(new URL(`/v1/tasks${query}`, this.url), body);
    };
    if (failAt !== undefined) {
      // Which task it is must be known before its first command is called.
      await this.faults.add(failAt, async () => (await send('')).taskId);
    }
    return send(`?wait=${WAIT}`);
  }

  async stop(): Promise<void> {
    await this.running.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function post(url: URL, body: object): Promise<TestedTask> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = readStoredJson(await response.text(), 'an answer') as TestedTask & Refusal;
  if (response.ok) return answer;
  const faults = (answer.errors ?? []).map(({ message, pointer }) => `${pointer}: ${message}`);
  throw new Error([answer.detail ?? answer.title, ...faults].join('\n'));
}

interface Refusal {
  readonly title: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly pointer: string; readonly message: string }[];
}
