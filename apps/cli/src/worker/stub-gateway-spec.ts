import type { JsonObject } from '#core';
import { Gate } from '#testing';
import type { WorkItem } from '#worker';
import { Interrupted } from '../exit.js';
import { type CliRun, run } from '../run-cli-spec.js';
import { json, problem, StubServer } from '../stub-server-spec.js';

/** An outcome as a worker told it: `complete`, and the body. */
interface Told {
  readonly kind: string;
  readonly body: JsonObject;
}

/** A gateway that hands out one action to one worker, and hears how it ended. */
export class StubGateway {
  readonly seen: Told[] = [];
  /** The answer of each heartbeat about the claim. */
  beat: object = { state: 'held', leaseMs: 300 };
  /** The answer to each request; null: it is taken. */
  refusal: Parameters<typeof problem>[1] | null = null;
  /** Resolves to the end of the worker. */
  ended!: Promise<CliRun>;
  #stop: () => void = () => {};
  #item: object | null = null;
  readonly #told = new Gate<Told>();
  #heard: { readonly kind: string; readonly gate: Gate } | null = null;

  private constructor(private readonly server: StubServer) {
    server.answer = ({ body, path }, response) => {
      const kind = path.replace(/^.*[:/]/, '');
      const told = { kind, body: (body === '' ? {} : JSON.parse(body)) as JsonObject };
      this.seen.push(told);
      if (this.#heard?.kind === kind) this.#heard.gate.open();
      if (this.refusal !== null) return problem(response, this.refusal);
      if (kind === 'poll') return this.#hand((items) => json(response, { items }));
      if (kind === 'heartbeat') {
        const claims = [{ claim: 'c', ...this.beat }];
        return json(response, { ...this.beat, claims, heartbeatMs: 100 });
      }
      json(response, { heartbeatMs: 100, taskStatus: 2 });
      if (path.includes('/v1/work/c:')) this.#told.open(told);
    };
  }

  static async start(): Promise<StubGateway> {
    return new StubGateway(await StubServer.start());
  }

  /** Resolves to the outcome of an action that a worker carries out by these words. */
  async told(words: readonly string[], item: JsonObject = {}): Promise<Told> {
    this.start(words, item);
    return this.outcome();
  }

  /** Resolves to the outcome of the action, once its worker has stopped. */
  async outcome(): Promise<Told> {
    const told = await this.#told.passed;
    this.stop();
    await this.ended;
    return told;
  }

  /** Starts a worker of `shop.charge` for one action; null: there is none. */
  start(words: readonly string[], item: JsonObject | null = {}): void {
    this.#item = item === null ? null : { ...ITEM, ...item };
    const command = ['worker', '--module', 'shop', ...words, '--url', this.server.url];
    const at = command.indexOf('--');
    const argv =
      at === -1
        ? command
        : [...command.slice(0, at), ...command.slice(-2), ...command.slice(at, -2)];
    const env = { PATH: process.env['PATH'], BACKSTEP_TOKEN: 'bsk_1_secret', HOME: '/nowhere' };
    const onSession: NonNullable<Parameters<typeof run>[1]>['onSession'] = (session) => {
      this.#stop = () => session.abort(new Interrupted(130));
    };
    this.ended = run(argv, { env, onSession });
  }

  /** Resolves at the next request of a kind. */
  heard(kind: string): Promise<void> {
    const gate = new Gate();
    this.#heard = { kind, gate };
    return gate.passed;
  }

  /** Tells the worker to stop. */
  stop(): void {
    this.#stop();
  }

  close(): Promise<void> {
    return this.server.stop();
  }

  /** The lines of all requests of the worker, without their times. */
  get lines(): readonly string[] {
    return this.seen
      .flatMap(({ body }) => [body, ...((body['claims'] ?? []) as JsonObject[])])
      .flatMap(({ log }) => (log ?? []) as { readonly message: string }[])
      .map(({ message }) => message.replace(/^\[[^\]]*\]\[[^\]]*\] /, ''));
  }

  /** A second poll waits until the worker goes. */
  #hand(answer: (items: readonly object[]) => void): void {
    if (this.#item === null) return;
    answer([this.#item]);
    this.#item = null;
  }
}

/** An action as the gateway hands it out. */
export const ITEM: WorkItem = {
  claim: 'c',
  taskId: 'task-1',
  flow: 'order',
  step: 'charge',
  run: 'charge',
  direction: 'normal',
  module: 'shop',
  command: 'charge',
  parameters: {},
  labels: {},
  results: {},
  attempt: 2,
  idempotencyKey: 'key-1',
  forwardKey: 'key-1',
  fencingToken: 7,
  completionToken: 'token',
  leaseMs: 15_000,
  waitedMs: 0,
  timeLeftMs: 60_000,
  attemptTimeLeftMs: 60_000,
  confirm: false,
  traceparent: null,
};
