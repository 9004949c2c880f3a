import { Worker } from 'node:worker_threads';
import { type Observer, StoreDamaged, StoreUnavailable } from '#ports';
import { StoreBusy, StoreForeign } from './errors.js';
import { packRequests, type Parcel } from './parcel.js';
import {
  type Answer,
  type FailedOpening,
  type Failure,
  isFailure,
  type Opening,
  type Request,
  type WorkerSettings,
} from './protocol.js';
import { takeBack } from './worker/own-file.js';

/**
 * Requests go out at once when this number waits, so that the worker starts while the rest is being
 * made. The answers to a batch then lead to two smaller ones, which take turns: while the worker
 * writes one, the process works on the other.
 */
const REQUESTS_AT_ONCE = 32;

/** Of the worker's memory, what was made of late: a busy store makes and drops much of it. */
const YOUNG_MIB = 96;

interface Waiter {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/** Starts the worker and resolves when it has the file open. */
export async function openWorker(
  url: URL,
  settings: WorkerSettings,
  observer: Pick<Observer, 'noticed'>,
): Promise<WorkerLink> {
  // The process's own options, such as a script on its command line, are not for the worker.
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MIB };
  const name = 'backstep-store';
  const worker = new Worker(url, { workerData: settings, name, execArgv: [], resourceLimits });
  const opening = await openingOf(worker);
  if (opening.kind === 'open') return new WorkerLink(worker, settings.path, observer);
  worker.on('error', () => undefined);
  await worker.terminate();
  takeBack(settings.path);
  throw openingError(opening.kind, `The store ${settings.path} ${opening.message}`);
}

function openingOf(worker: Worker): Promise<Opening> {
  return new Promise((resolve) => {
    const tell = (opening: Opening): void => {
      worker.off('message', tell).off('error', fail).off('exit', exit);
      resolve(opening);
    };
    const failed = (reason: string): void =>
      tell({ kind: 'failed', message: `cannot be opened: ${reason}.` });
    const fail = (error: Error): void => failed(error.message);
    const exit = (): void => failed('its worker has ended');
    worker.on('message', tell).on('error', fail).on('exit', exit);
  });
}

/**
 * The way to the worker. Requests of one turn of the event loop travel in one message, and while
 * the worker syncs one batch to the disk, the next one gathers. Answers come in the order of the
 * requests.
 */
export class WorkerLink {
  readonly #post: (message: Parcel | 'close' | 'hold' | 'release') => void;
  readonly #exited: Promise<void>;
  #outbox: Request[] = [];
  #waiters: Waiter[] = [];
  #flushing = false;
  #end: StoreUnavailable | null = null;
  #isClosed = false;
  /** The file could not be used, and no ping has gone well since. */
  #isRefusing = false;

  constructor(
    worker: Worker,
    private readonly file: string,
    private readonly observer: Pick<Observer, 'noticed'>,
  ) {
    this.#post = (message) => worker.postMessage(message, []);
    worker.on('message', (answers: readonly Answer[]) => this.#receive(answers));
    worker.on('error', (error) => this.#die(error));
    worker.on('messageerror', (error) => this.#die(error));
    this.#exited = new Promise((resolve) => {
      worker.once('exit', () => {
        takeBack(file);
        this.#die(new Error('the worker has ended'));
        resolve();
      });
    });
  }

  /** Throws where there is no worker to answer any more. */
  assertOpen(): void {
    if (this.#end === null) return;
    const Kind = this.#end instanceof StoreDamaged ? StoreDamaged : StoreUnavailable;
    throw new Kind(this.#end.message, { cause: this.#end });
  }

  /** Asks whether the file can be read and written. */
  async ping(): Promise<void> {
    await this.ask(['ping']);
    if (!this.#isRefusing) return;
    this.#isRefusing = false;
    const message = 'The store takes what is written again.';
    this.observer.noticed({ level: 'info', name: 'store_writable', message });
  }

  /** Sends a request; `T` is the answer that the protocol has for it. */
  ask<T>(request: Request): Promise<T> {
    if (this.#end !== null) return Promise.reject(this.#end);
    return new Promise<T>((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.#outbox.push(request);
      if (this.#outbox.length >= REQUESTS_AT_ONCE) this.#flush();
      else if (!this.#flushing) {
        this.#flushing = true;
        setImmediate(() => this.#flush());
      }
    });
  }

  /**
   * Has all that was asked for until now moved into the file, and then keeps the file as it is:
   * what is asked for later is in its log alone, until {@link release}.
   */
  async hold(): Promise<void> {
    // Finds out whether the file is still this process's own.
    const sound = this.ask(['ping']);
    await Promise.all([sound, this.#order('hold')]);
  }

  /** Lets go of a hold. Rejects where the store was closed or failed meanwhile. */
  async release(): Promise<void> {
    await this.#order('release');
  }

  /** Lets the worker finish what it was sent, and resolves when it has let go of the file. */
  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#flush();
      this.#end ??= new StoreUnavailable('The store is closed.');
      this.#post('close');
    }
    await this.#exited;
  }

  #order(order: 'hold' | 'release'): Promise<void> {
    if (this.#end !== null) return Promise.reject(this.#end);
    return new Promise((resolve, reject) => {
      this.#flush();
      this.#waiters.push({ resolve, reject });
      this.#post(order);
    });
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#outbox.length === 0) return;
    const requests = this.#outbox;
    this.#outbox = [];
    this.#post(packRequests(requests));
  }

  #receive(answers: readonly Answer[]): void {
    const answered = this.#waiters.splice(0, answers.length);
    for (let n = 0; n < answered.length; n += 1) {
      const answer = answers[n];
      if (isFailure(answer)) answered[n]!.reject(this.#failureError(answer));
      else answered[n]!.resolve(answer as never);
    }
  }

  #failureError({ failure, message }: Failure): Error {
    if (failure === 'refused') return new RangeError(message);
    if (failure === 'unavailable') {
      if (!this.#isRefusing) this.#tell('store_refuses', message);
      this.#isRefusing = true;
      return new StoreUnavailable(message);
    }
    const error = new StoreDamaged(message);
    if (this.#end === null) this.#tell('store_damaged', message);
    // Memory knows more of the tasks than the next start will find.
    this.#end ??= error;
    return error;
  }

  #tell(name: 'store_damaged' | 'store_refuses', message: string): void {
    this.observer.noticed({
      level: 'error',
      name,
      message: `${message} The file is ${this.file}.`,
    });
  }

  #die(cause: Error): void {
    this.#end ??= new StoreUnavailable(`The store's worker has failed: ${cause.message}`, {
      cause,
    });
    const waiters = this.#waiters;
    this.#waiters = [];
    this.#outbox = [];
    for (const { reject } of waiters) reject(this.#end);
  }
}

function openingError(kind: FailedOpening['kind'], message: string): Error {
  if (kind === 'damaged') return new StoreDamaged(message);
  if (kind === 'busy') return new StoreBusy(message);
  return kind === 'foreign' ? new StoreForeign(message) : new StoreUnavailable(message);
}
