/**
 * An executor of your own: a class with a method per command, and a flow that uses them. Booking a
 * seat is two steps; when the second one fails, the first one is undone.
 *
 * Build and run it from the root of the repository:
 *
 *     npm run build && node dist/examples/own-executor/main.js
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Injectable, Module } from '@nestjs/common';
import {
  Command,
  type CommandContext,
  Executor,
  lookAgain,
  RetryableError,
  TerminalError,
} from 'backstep';
import { startStandalone } from 'backstep/standalone';
import { IsInt, IsString, Max, Min } from 'class-validator';

/** Stands for your database. Holders are idempotency keys, so nothing happens twice. */
@Injectable()
class Theatre {
  readonly #holders = new Map<number, string>();
  readonly #charges = new Map<string, 'pending' | 'paid'>();

  /** Whether the seat is the holder's now. */
  reserve(seat: number, holder: string): boolean {
    if (!this.#holders.has(seat)) this.#holders.set(seat, holder);
    return this.#holders.get(seat) === holder;
  }

  /** Gives the seat back if it is the holder's; else it does nothing. */
  release(seat: number, holder: string): void {
    if (this.#holders.get(seat) === holder) this.#holders.delete(seat);
  }

  /** Asks the bank, which has an answer when it is asked a second time. */
  charge(key: string): 'pending' | 'paid' {
    const known = this.#charges.get(key);
    this.#charges.set(key, known === undefined ? 'pending' : 'paid');
    return this.#charges.get(key) ?? 'pending';
  }

  refund(key: string): void {
    this.#charges.delete(key);
  }
}

class SeatParameters {
  @IsInt()
  @Min(1)
  @Max(100)
  seat!: number;
}

class ChargeParameters extends SeatParameters {
  @IsString()
  card!: string;
}

/** Runs the commands of the module `theatre`. */
@Executor('theatre')
export class TheatreExecutor {
  constructor(private readonly theatre: Theatre) {}

  @Command('reserve_seat')
  reserveSeat({ seat }: SeatParameters, { idempotencyKey }: CommandContext): object {
    if (!this.theatre.reserve(seat, idempotencyKey)) {
      throw new TerminalError(`seat ${seat} is taken`);
    }
    return { ticket: `T-${seat}` };
  }

  /** Undoes `reserve_seat`, also when that never happened or nobody knows whether it did. */
  @Command('release_seat')
  releaseSeat({ seat }: SeatParameters, { forwardKey }: CommandContext): void {
    this.theatre.release(seat, forwardKey);
  }

  @Command('charge_card')
  chargeCard({ card, seat }: ChargeParameters, { idempotencyKey }: CommandContext): object {
    if (card === 'stolen') throw new TerminalError('the card was refused');
    if (card === 'offline') throw new RetryableError('the bank does not answer', { after: '1s' });
    if (this.theatre.charge(idempotencyKey) === 'pending') return lookAgain('100ms');
    return { receipt: `R-${seat}` };
  }

  @Command('refund_card')
  refundCard(_parameters: object, { forwardKey }: CommandContext): void {
    this.theatre.refund(forwardKey);
  }
}

/** The module that an application imports to run the executor. */
@Module({ controllers: [TheatreExecutor], providers: [Theatre] })
export class TheatreModule {}

/** Members of a task that are printed here; docs/http-api.md shows all of them. */
interface TaskAnswer {
  readonly status: string;
  readonly taskMessage: string | null;
  readonly steps: readonly {
    readonly name: string;
    readonly state: string;
    readonly output: object | null;
    readonly rollback: { readonly state: string } | null;
  }[];
}

// Backstep itself, in this process, on a store that is thrown away at the end.
const folder = await mkdtemp(path.join(tmpdir(), 'own-executor-'));
const backstep = await startStandalone({
  modules: [TheatreModule],
  flows: path.join(import.meta.dirname, 'flow-configs'),
  store: path.join(folder, 'backstep.db'),
  http: '127.0.0.1:0',
  settings: { log: 'error' },
});
try {
  await book(12, 'visa');
  await book(13, 'stolen');
  // Seat 13 is free again, because its reservation was undone.
  await book(13, 'visa');
} finally {
  await backstep.stop();
  await rm(folder, { recursive: true });
}

/** Makes a task of the flow, waits for its end and prints the result. */
async function book(seat: number, card: string): Promise<void> {
  const response = await fetch(new URL('/v1/tasks?wait=30s', backstep.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ flow: 'book-seat', parameters: { seat, card } }),
  });
  if (!response.ok) throw new Error(await response.text());
  const { status, steps, taskMessage } = (await response.json()) as TaskAnswer;
  console.log(`seat ${seat}, card ${card}: ${status}${taskMessage ? ` (${taskMessage})` : ''}`);
  for (const { name, output, rollback, state } of steps) {
    const undo = rollback === null || rollback.state === 'none' ? '' : `, undo ${rollback.state}`;
    console.log(`  ${name} ${state}${undo} ${output ? JSON.stringify(output) : ''}`.trimEnd());
  }
}
