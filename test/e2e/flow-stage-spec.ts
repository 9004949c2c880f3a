import { afterAll, beforeAll } from '@jest/globals';
import { Api, effectsOf } from '../load/index.js';
import {
  type Deployment,
  type DeploymentKind,
  type DeploymentOptions,
  startDeployment,
} from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

/** Tests of flows that want nothing of Backstep but to run them. */
export interface FlowSuite {
  readonly name: string;
  /** No two suites have a flow of the same name. */
  readonly flows: object;
  readonly tests: (stage: FlowStage) => void;
}

/** One Backstep for several suites, because starting one takes longer than most of their tests. */
export class FlowStage {
  readonly #trial: Trial;
  #backstep: Deployment | undefined;
  #api: Api | undefined;

  constructor(
    readonly kind: DeploymentKind,
    private readonly more: Pick<DeploymentOptions, 'executors' | 'settings'> = {},
  ) {
    this.#trial = new Trial(`flows-${kind}`);
  }

  /** Starts it before the tests of the block around, and ends it behind them. */
  prepare(suites: readonly FlowSuite[]): void {
    const flows: object = Object.assign({}, ...suites.map((suite) => suite.flows));
    beforeAll(
      this.#trial.guard(async () => {
        await this.#trial.open();
        const { folder } = this.#trial;
        const settings = { ...this.more.settings, flows: await writeFlows(folder, flows) };
        const options = { ...this.more, folder, settings };
        this.#backstep = this.#trial.use(await startDeployment(this.kind, options));
        this.#api = new Api(this.#backstep.url);
      }),
    );
    afterAll(() => this.#trial.close());
  }

  it(rule: string, work: () => Promise<void>): void {
    this.#trial.it(rule, work);
  }

  get backstep(): Deployment {
    if (this.#backstep === undefined) throw new Error('it was not started');
    return this.#backstep;
  }

  /** A client of the first process. */
  get api(): Api {
    return (this.#api ??= new Api(this.backstep.url));
  }

  /** A client of the process that knows the practice effects. */
  get effectsApi(): Api {
    return new Api(this.backstep.effectsUrl);
  }

  /** How often each run really had its effect, and how often that was undone. */
  async effects(taskId: string): Promise<Record<string, readonly number[]>> {
    const found = await effectsOf(this.effectsApi, taskId);
    return Object.fromEntries(found.map(({ applied, id, undone }) => [id, [applied, undone]]));
  }

  /** Kills the first process and starts it again. */
  async restart(): Promise<void> {
    await this.backstep.processes[0]?.restart();
    this.#api = undefined;
  }

  /** Kills every process and starts it again. */
  async restartAll(): Promise<void> {
    await Promise.all(this.backstep.processes.map((process) => process.restart()));
    this.#api = undefined;
  }
}
