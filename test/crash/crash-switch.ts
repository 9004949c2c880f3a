import { writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { type CrashOrder, deathText } from './crash-order.js';
import { isAt, type Passing } from './passing.js';

const STDERR = 2;

/** Counts what a process passes, and ends it without a word to anybody where it is ordered to. */
export class CrashSwitch {
  /** Whether the process was told to stop. */
  draining = false;
  #order: CrashOrder | undefined;
  #passed = 0;

  /** From now on passings count; an order replaces the one before. */
  obey(order: CrashOrder): void {
    this.#order = order;
    this.#passed = 0;
  }

  /** One moment at the borders of ports, which may be the last: then it does not return. */
  pass(passings: readonly Passing[]): void {
    const order = this.#order;
    if (order === undefined) return;
    const { draining } = this;
    if (!passings.some((passing) => isAt(order.at, { ...passing, draining }))) return;
    this.#passed += 1;
    if (this.#passed === order.nth) die(order);
  }

  /** Does something with a passing before it, in the middle of it, and after it. */
  async around<T>(
    passings: readonly Omit<Passing, 'edge'>[],
    work: () => Promise<T>,
    isDone: (result: T) => boolean = () => true,
  ): Promise<T> {
    const at = (edge: Passing['edge']): void =>
      this.pass(passings.map((passing) => ({ ...passing, edge })));
    at('before');
    const working = work();
    if (this.#order?.at.edge === 'during') {
      const answered = working.then(
        () => true,
        () => true,
      );
      const isAnswered = await Promise.race([answered, turn(false)]);
      if (!isAnswered) at('during');
    }
    const result = await working;
    if (isDone(result)) at('after');
    return result;
  }
}

/** Nothing runs after it, not even what is due in this very turn of the event loop. */
function die(order: CrashOrder): never {
  writeSync(STDERR, `${deathText(order, process.pid)}\n`);
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}
