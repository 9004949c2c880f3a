import type { StartedTestContainer } from 'testcontainers';
import type { RunningServer, ServerName } from './server.js';
import { waitUntil } from './wait-until.js';
import type { Probe } from './wait-until.js';

const START_MS = 120_000;

/** How one kind of server is run in a container. */
export interface ContainerPlan {
  readonly name: ServerName;
  readonly url: string;
  readonly image: string;
  /** Fixed, because a port that the engine chooses changes with every start. */
  readonly port: { readonly container: number; readonly host: number };
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: readonly { readonly target: string; readonly content: string }[];
  /** Succeeds when a client is really served. */
  readonly ready: Probe;
}

/** A server in a container; the engine's own reaper removes it when the tests are killed. */
export class DockerServer implements RunningServer {
  readonly origin = 'docker';
  #container: StartedTestContainer | undefined;

  constructor(private readonly plan: ContainerPlan) {}

  get name(): ServerName {
    return this.plan.name;
  }

  get url(): string {
    return this.plan.url;
  }

  async start(): Promise<void> {
    const { GenericContainer } = await import('testcontainers');
    const { image, port, command, env, files } = this.plan;
    const plan = new GenericContainer(image).withExposedPorts(port).withStartupTimeout(START_MS);
    if (command) plan.withCommand([...command]);
    if (env) plan.withEnvironment({ ...env });
    if (files) plan.withCopyContentToContainer([...files]);
    this.#container = await plan.start();
    await this.#serve();
  }

  /** The output of a command inside the container. */
  async exec(command: readonly string[]): Promise<string> {
    const result = await this.#started().exec([...command]);
    if (result.exitCode === 0) return result.stdout;
    throw new Error(`${command.join(' ')} ended with ${result.exitCode}: ${result.output}`);
  }

  async kill(): Promise<void> {
    const engine = await this.#engine();
    if ((await engine.inspect()).State.Running) await engine.kill({ signal: 'SIGKILL' });
    await engine.wait();
  }

  async restart(): Promise<void> {
    await this.kill();
    await (await this.#engine()).start();
    await this.#serve();
  }

  async wipe(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async pause(): Promise<void> {
    await (await this.#engine()).pause();
  }

  async resume(): Promise<void> {
    await (await this.#engine()).unpause();
  }

  async stop(): Promise<void> {
    const container = this.#container;
    this.#container = undefined;
    await container?.stop({ timeout: 0, remove: true, removeVolumes: true });
  }

  async #engine() {
    const { getContainerRuntimeClient } = await import('testcontainers');
    return (await getContainerRuntimeClient()).container.getById(this.#started().getId());
  }

  #started(): StartedTestContainer {
    if (!this.#container) throw new Error(`${this.name} has been stopped`);
    return this.#container;
  }

  #serve(): Promise<void> {
    const what = `${this.name} in a container does not serve`;
    return waitUntil(this.plan.ready, { what, deadlineMs: START_MS });
  }
}
