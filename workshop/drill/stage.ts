import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HeldResidue } from '#executor';
import type { Fault } from '#workshop/rehearsal';
import type { ArmedFault, Arming, Awaited, FromStage, StageOrder, ToStage } from './messages.js';

const CHILD = fileURLToPath(new URL('./stage-child.js', import.meta.url));

/** The executors that a stage runs, and its settings. */
export type StageOptions = Pick<StageOrder, 'executors' | 'flags'>;

/** A drill cannot go on; the message says why. */
export class DrillFailed extends Error {
  override readonly name = 'DrillFailed';

  constructor(
    sentence: string,
    /** The stage refused its order: an executor's file or a setting is wrong. */
    readonly isWrongOrder = false,
  ) {
    super(sentence);
  }
}

/** One life of the process of a stage. */
interface Life {
  readonly process: ChildProcess;
  /** Resolves when it has ended, however. */
  readonly ended: Promise<void>;
}

/**
 * A Backstep that a drill has for itself: real processes and executors, on a store that is thrown
 * away. It may crash, and is started again on what it left.
 */
export class Stage {
  /** Called with attempts that are completed from outside. */
  onAwaited: (awaited: Awaited) => void = () => {};
  /** Called when some task has moved. */
  onMoved: () => void = () => {};
  #life: Life | null = null;
  #arming: Arming = { flow: '', faults: [], hasCrashed: false };
  #port = 0;
  #url = '';
  #tell: (message: FromStage) => void = () => {};

  private constructor(
    private readonly folder: string,
    private readonly options: StageOptions,
  ) {}

  /** Starts one on an empty folder. Throws `DrillFailed` with the reason that it could not. */
  static async open(options: StageOptions): Promise<Stage> {
    const folder = await mkdtemp(path.join(tmpdir(), 'backstep-drill-'));
    const stage = new Stage(folder, options);
    try {
      await stage.#start();
      return stage;
    } catch (error) {
      await stage.close();
      throw error;
    }
  }

  /** Where its HTTP interface is. */
  get url(): string {
    return this.#url;
  }

  /** Resolves when its process has ended. */
  get ended(): Promise<void> {
    return this.#life?.ended ?? Promise.resolve();
  }

  /** Starts its process again on what it left; the same goes wrong as before. */
  async startAgain(): Promise<void> {
    this.#arming = { ...this.#arming, hasCrashed: true };
    await this.#start();
  }

  async #start(): Promise<void> {
    const { folder, options } = this;
    const order: StageOrder = { ...options, folder, port: this.#port, arming: this.#arming };
    const child = fork(CHILD, [JSON.stringify(order)], {
      // The other way is JSON, as Node reads it: see `parseJson`.
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#life = { process: child, ended: once(child, 'exit').then(() => undefined) };
    child.on('message', (message: FromStage) => {
      if (message.kind === 'moved') this.onMoved();
      else if (message.kind === 'waits') this.onAwaited(message);
      else this.#tell(message);
    });
    const ready = await this.#answer('ready');
    this.#url = ready.url;
    this.#port = Number(new URL(ready.url).port);
  }

  /** From now on attempts go wrong so, and no others. */
  async arm(flow: string, faults: readonly Fault[]): Promise<void> {
    const armed = faults.map((fault): ArmedFault => {
      return { ...fault, attempts: Number.isFinite(fault.attempts) ? fault.attempts : null };
    });
    this.#arming = { flow, faults: armed, hasCrashed: false };
    await this.#ask({ kind: 'arm', arming: this.#arming }, 'armed');
  }

  /** Resources that its executors still hold for a task. */
  async residueOf(taskId: string): Promise<readonly HeldResidue[]> {
    return (await this.#ask({ kind: 'residue', taskId }, 'residue')).items;
  }

  /** Ends it, and removes what it left. */
  async close(): Promise<void> {
    this.#life?.process.kill('SIGKILL');
    await this.ended;
    await rm(this.folder, { recursive: true, force: true });
  }

  #ask<K extends FromStage['kind']>(
    message: ToStage,
    kind: K,
  ): Promise<Extract<FromStage, { kind: K }>> {
    const answer = this.#answer(kind);
    // Where it is gone already, its end is the answer.
    this.#life?.process.send(message, () => undefined);
    return answer;
  }

  #answer<K extends FromStage['kind']>(kind: K): Promise<Extract<FromStage, { kind: K }>> {
    return new Promise((resolve, reject) => {
      this.#tell = (message) => {
        if (message.kind === kind) resolve(message as Extract<FromStage, { kind: K }>);
        if (message.kind === 'failed') reject(new DrillFailed(message.message, true));
      };
      const gone = 'the Backstep of the drill ended by itself';
      void this.ended.then(() => reject(new DrillFailed(gone)));
    });
  }
}
