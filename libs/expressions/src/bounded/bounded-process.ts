import { type ChildProcess, fork } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import type { Clock, Timer } from '#ports';
import { OVERRUN_SIGNAL } from './own-time.js';

/** Only a process that hangs needs longer for its start, or to say anything. */
const PATIENCE_MS = 30_000;

/** Most memory for young objects: V8 has two halves of this size. */
const SEMI_SPACE_MIB = 8;

/** How V8 ends a process whose memory, or whose stack, is used up. */
const CRASHES: ReadonlySet<unknown> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 134, 5]);

/** The lowest priority that a process can have. */
const NICENESS_MAX = 19;

/** The bound that a process has reached. */
export type UsedUp = 'time' | 'memory';

/** How a bounded process has ended. */
interface ProcessEnd {
  /** It had been ready. */
  readonly wasReady: boolean;
  readonly reason: string;
  /** The bound that its work has reached; null: it ended of something else. */
  readonly usedUp: UsedUp | null;
}

/** Options of a bounded process. */
interface BoundedProcessOptions<Said extends { readonly kind: string }> {
  readonly clock: Clock;
  /** Its code, which calls `watchOwnTime`, and sends `{kind: 'ready'}` once it can be asked. */
  readonly url: URL;
  /** Most memory for what it makes, in MiB. */
  readonly memoryMib: number;
  /** Whether it makes code of texts, which otherwise fails there. */
  readonly makesCode: boolean;
  /** How far it stands back behind this process, from 0 to 19. */
  readonly niceness: number;
  /** Called once, when it can be asked; not where it has ended before. */
  readonly onReady: () => void;
  /** Called with everything else that it says. */
  readonly onSaid: (said: Exclude<Said, { readonly kind: 'ready' }>) => void;
  /** Called once, when it has ended. */
  readonly onEnd: (end: ProcessEnd) => void;
}

/**
 * A process for work that may take too long, or too much memory: then the process ends. Its time is
 * that of the processor, so that a busy machine is not taken for costly work. A process and not a
 * thread: V8 ends the whole process when one allocation does not fit into a thread's heap, no
 * thread can be stopped in the middle of a call of the engine, and the time of one is not known.
 * It knows no variable of this process.
 */
export class BoundedProcess<Asked extends object, Said extends { readonly kind: string }> {
  readonly #options: BoundedProcessOptions<Said>;
  readonly #child: ChildProcess;
  #patience: Timer;
  #isReady = false;
  #hasEnded = false;

  constructor(options: BoundedProcessOptions<Said>) {
    this.#options = options;
    this.#child = fork(options.url, {
      env: { TZ: 'UTC' },
      execArgv: [
        `--max-old-space-size=${options.memoryMib}`,
        `--max-semi-space-size=${SEMI_SPACE_MIB}`,
        ...(options.makesCode ? [] : ['--disallow-code-generation-from-strings']),
      ],
      // The other way is JSON, as Node reads it: see `parseJson`.
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    standBack(this.#child, options.niceness);
    this.#patience = this.#waitAtMost();
    this.#child.on('message', (said: Said) => this.#hear(said));
    this.#child.on('error', (error) => this.#end(error.message, null));
    this.#child.on('exit', (code, signal) => {
      const how = signal ?? code;
      this.#end(`it ended with ${how}`, usedUpBy(how));
    });
  }

  /** Whether it can be asked. */
  get isReady(): boolean {
    return this.#isReady && !this.#hasEnded;
  }

  /** Asks it, once it is ready and at rest. This process does not end before `rest` is called. */
  ask(asked: Asked): void {
    this.#patience = this.#waitAtMost();
    this.#keepAlive(true);
    this.#child.send(asked, (error) => {
      if (error !== null) this.#end(error.message, null);
    });
  }

  /** It has answered. */
  rest(): void {
    this.#patience.cancel();
    this.#keepAlive(false);
  }

  /** Ends it. Resolves once it is gone, and with it its memory. */
  async stop(): Promise<void> {
    const isGone = this.#child.exitCode !== null || this.#child.signalCode !== null;
    const exit = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    this.#end('it was stopped', null);
    if (isGone || this.#child.pid === undefined) return;
    // A process that waits for nothing else must not end before it has been said that this one has.
    this.#keepAlive(true);
    await exit;
  }

  #hear(said: Said): void {
    // Its last words may be under way when it is ended; they must not keep `stop` from its end.
    if (this.#hasEnded) return;
    if (said.kind !== 'ready')
      return this.#options.onSaid(said as Exclude<Said, { readonly kind: 'ready' }>);
    this.#isReady = true;
    this.rest();
    this.#options.onReady();
  }

  #end(reason: string, usedUp: UsedUp | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.rest();
    this.#child.kill('SIGKILL');
    // One that breaks at its start was not asked yet.
    this.#options.onEnd({ wasReady: this.#isReady, reason, usedUp: this.#isReady ? usedUp : null });
  }

  #waitAtMost(): Timer {
    return this.#options.clock.after(PATIENCE_MS, () => this.#end('it does not answer', null));
  }

  /** An idle process must not keep this one; another must, as a task waits for its answer. */
  #keepAlive(isAsked: boolean): void {
    if (isAsked) {
      this.#child.ref();
      this.#child.channel?.ref();
    } else {
      this.#child.unref();
      this.#child.channel?.unref();
    }
  }
}

/** Where the system does not allow it, or the process has ended, nothing is lost but the order. */
function standBack({ pid }: ChildProcess, niceness: number): void {
  if (niceness === 0 || pid === undefined) return;
  try {
    setPriority(pid, Math.min(NICENESS_MAX, getPriority() + niceness));
  } catch {
    // It runs as all others do.
  }
}

function usedUpBy(how: NodeJS.Signals | number | null): UsedUp | null {
  if (how === OVERRUN_SIGNAL) return 'time';
  return CRASHES.has(how) ? 'memory' : null;
}
