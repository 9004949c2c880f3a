import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newSecret, SkippingClock, SystemClock } from '#machine';
import type { RunningProcess } from '#process';
import { parseDuration } from '#wording';
import { HttpModule } from '../../../http/src/index.js';
import { type StandaloneOptions, startAround } from '../start-standalone.js';
import type {
  FlowTest,
  FlowTestOptions,
  RunOptions,
  StartedTask,
  StepFault,
  TestedTask,
} from './flow-test.js';
import { expectSteps } from './flow-steps.js';
import { GatewayClient } from './gateway-client.js';
import { StepFaults } from './step-faults.js';
import { TaskRests } from './task-rests.js';
import { type TaskParts, TaskUnderWay } from './task-under-way.js';
import { testNetwork } from './test-http.js';

/** The log of Backstep itself in a test, unless the environment says otherwise. */
const OWN_LOG = process.env['BACKSTEP_LOG'] === undefined ? { log: 'error' } : {};

/** All other settings are of real processes, such as who is called about a failed rollback. */
const TAKEN = ['FLOW_ENV', 'LOG', 'SECRETS', 'SECRET_FILES', 'VAULT_URL', 'VAULT_TOKEN_FILE'];

/**
 * Starts Backstep in this process, on a store in a temporary folder and without any server, to try
 * flows with the executors that run them. Besides these it has the modules `http` and `monitor`.
 * Stop it with `stop()`, which removes the folder. Throws what could not start, such as a flow file
 * with a mistake in it. Lines that commands log, and those of Nest's `Logger`, are on standard
 * error; `BACKSTEP_LOG=info` adds stack traces of what failed. Of the settings of the environment
 * only those count that tell where expressions and secrets have values from, and none of files.
 */
export async function startFlowTest(options: FlowTestOptions): Promise<FlowTest> {
  const folder = await mkdtemp(path.join(tmpdir(), 'backstep-test-'));
  const clock = new SkippingClock(new SystemClock());
  try {
    const running = await startAround(standaloneIn(folder, options), {
      clock,
      sources: { env: takenFrom(process.env), hasFiles: false },
      // An author hears of the own code; what Backstep says of each step, only if asked for.
      ...(OWN_LOG.log !== undefined && { authorLevel: 'info' }),
      beside: ({ executors, settings: { maxParameters: bodyMax } }) => {
        executors.giveWay(['http', 'monitor']);
        return [HttpModule.register({ clock, bodyMax, ...testNetwork(options.http) })];
      },
    });
    const flows = new TestedFlows(running, { clock, folder, flows: options.flows });
    await flows.expectSound();
    return flows;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

function takenFrom(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = TAKEN.map((name) => `BACKSTEP_${name}`);
  return Object.fromEntries(names.map((name) => [name, env[name]]));
}

function standaloneIn(folder: string, { flows, modules }: FlowTestOptions): StandaloneOptions {
  // Flows with secrets can be tried as they are; nothing that is sealed outlives the test.
  const { secret: secretKey } = newSecret();
  const quick = { governanceInterval: '100ms', ...OWN_LOG };
  return {
    modules,
    flows,
    store: path.join(folder, 'backstep.db'),
    http: '127.0.0.1:0',
    settings: { transport: 'memory:', data: folder, secretKey, ...quick },
  };
}

interface TestedFlowsOptions {
  readonly clock: SkippingClock;
  /** The folder of flow files. */
  readonly flows: string;
  readonly folder: string;
}

/** A mistake in a flow file, as the gateway tells it. */
interface FileProblem {
  /** Null: it is the folder itself. */
  readonly file: string | null;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly message: string;
}

class TestedFlows implements FlowTest {
  readonly #parts: TaskParts;

  constructor(
    private readonly running: RunningProcess,
    private readonly options: TestedFlowsOptions,
  ) {
    const { context, url } = running;
    const faults = new StepFaults(context);
    context.executors.useFaults((attempt) => faults.faultFor(attempt));
    const rests = new TaskRests(context, options.clock);
    this.#parts = { client: new GatewayClient(url), faults, rests };
  }

  /** Stops, and throws the mistakes in flow files, where there are any. */
  async expectSound(): Promise<void> {
    const { files } = await this.#parts.client.ask<{
      readonly files: { readonly problems: readonly FileProblem[] };
    }>('/v1/flows');
    if (files.problems.length === 0) return;
    await this.stop();
    const lines = files.problems.map(({ code, column, file, line, message }) => {
      return `${file ?? this.options.flows}:${line}:${column} ${code} ${message}`;
    });
    throw new Error(lines.join('\n'));
  }

  get url(): string {
    return this.running.url;
  }

  now(): Date {
    return new Date(this.options.clock.now());
  }

  async run(
    flow: string,
    parameters: Readonly<Record<string, unknown>> = {},
    options: RunOptions = {},
  ): Promise<TestedTask> {
    const task = await this.start(flow, parameters, options);
    return task.rest();
  }

  async start(
    flow: string,
    parameters: Readonly<Record<string, unknown>> = {},
    { failAt = [], labels = {} }: RunOptions = {},
  ): Promise<StartedTask> {
    const { client, faults } = this.#parts;
    const wanted = [failAt].flat().map((one): StepFault => {
      return typeof one === 'string' ? { step: one } : one;
    });
    await expectSteps(flow, wanted, this.running.context.flowStore);
    // Which task it is must be known before its first command is called.
    const taskId = await faults.arm(wanted, async () => {
      const body = { flow, parameters, labels };
      return (await client.ask<TestedTask>('/v1/tasks', body)).taskId;
    });
    return new TaskUnderWay(taskId, this.#parts);
  }

  async advance(duration: string | number): Promise<void> {
    await this.#parts.rests.advance(parseDuration(duration));
  }

  async stop(): Promise<void> {
    await this.running.stop();
    await rm(this.options.folder, { recursive: true, force: true });
  }
}
