import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { Exchange, type Sent } from '../hostile/index.js';
import { GROWTH_MAX, growthOf, quicker, SIZES } from '../linear/growth.js';
import { MAIN_THREAD, type ProcessorClock, WHOLE_PROCESS } from '../linear/processor-time.js';
import { type AppProcess, planStandalone } from '../stack/index.js';
import { Trial } from '../trial/index.js';

jest.setTimeout(300_000);

/** Fewer rounds are not believed, however good they look. */
const ROUNDS_MIN = 3;
/** A request still too slow after this number of rounds was not slowed by a disturbance. */
const ROUNDS_MAX = 60;

const ONE = 256_000;
const BATCH = 4_200_000;
const TEXT = 1_000_000;

const filled = (part: string, bytes: number): string[] =>
  Array.from({ length: Math.floor(bytes / (part.length + 1)) }, () => part);

type Filling = (bytes: number) => string;
type Times = readonly number[];

/** Texts that a reader could take longer over than their length says. */
const FILLINGS: Readonly<Record<string, Filling>> = {
  'a long text': (bytes) => JSON.stringify('x'.repeat(bytes)),
  'a text of escapes': (bytes) => `"${'\\u0041\\n'.repeat(bytes / 8)}"`,
  'a text of quotes': (bytes) => `"${'\\"'.repeat(bytes / 2)}"`,
  'many numbers': (bytes) => `[${filled('1234567890123', bytes).join(',')}]`,
  'many long numbers': (bytes) => `[${filled(`1${'0'.repeat(390)}1`, bytes).join(',')}]`,
  'one long number': (bytes) => `1${'0'.repeat(bytes)}1`,
  'a long fraction': (bytes) => `0.${'0'.repeat(bytes)}1`,
  'many members': (bytes) =>
    `{${filled('"m":1,....', bytes)
      .map((_, n) => `"m${n}":1`)
      .join(',')}}`,
  'many empty lists': (bytes) => `[${filled('[]', bytes).join(',')}]`,
  blanks: (bytes) => `[1,${' '.repeat(bytes)}2]`,
  'a text that never ends': (bytes) => `"${'x'.repeat(bytes)}`,
  'lists that never end': (bytes) => '['.repeat(bytes),
};

interface Reader {
  readonly name: string;
  readonly most: number;
  /** Counts what the server spends on it. */
  readonly clock: ProcessorClock;
  readonly sent: (filling: string) => Sent;
}

const READERS: readonly Reader[] = [
  {
    name: 'POST /v1/tasks',
    most: ONE,
    clock: MAIN_THREAD,
    sent: (filling) => ({
      path: '/v1/tasks',
      body: `{"flow":"nobody","parameters":{"a":${filling}}}`,
    }),
  },
  {
    name: 'POST /v1/tasks:batch',
    most: BATCH,
    clock: MAIN_THREAD,
    sent: (filling) => ({
      path: '/v1/tasks:batch',
      body: `{"tasks":[{"flow":"nobody","parameters":{"a":${filling}}}]}`,
    }),
  },
  {
    name: 'POST /v1/flows:validate',
    most: TEXT,
    // Flows are read by a thread that may end with its answer.
    clock: WHOLE_PROCESS,
    sent: (filling) => ({
      path: '/v1/flows:validate',
      body: `{"x":{"description":${filling},"steps":[]}}`,
    }),
  },
  {
    name: 'PUT /v1/flows/{name}',
    most: TEXT,
    clock: WHOLE_PROCESS,
    sent: (filling) => ({
      method: 'PUT',
      path: '/v1/flows/x',
      body: `{"description":${filling},"steps":[]}`,
    }),
  },
];

describe('a reader of bodies', () => {
  const trial = new Trial('linear');
  let backstep: AppProcess;
  let exchange: Exchange;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      backstep = await planStandalone({ folder: trial.folder, settings: { log: 'error' } });
      trial.use({ stop: () => backstep.kill() });
      await backstep.start();
      exchange = new Exchange(backstep.url);
    }),
  );
  afterAll(async () => {
    exchange?.close();
    await trial.close();
  });

  /** Processor time of the server for an answer: other load of the machine does not count. */
  async function costOf(sent: Sent, { spentMs, stepMs }: ProcessorClock): Promise<number> {
    const before = spentMs(backstep.pid!);
    const { ms, status } = await exchange.send(sent);
    const after = spentMs(backstep.pid!);
    expect(status).toBeLessThan(500);
    return before === null || after === null ? ms : Math.max(after - before, stepMs);
  }

  /** One after the other, so that a busy moment hits all sizes. */
  async function measure({ clock, most, sent }: Reader, filling: Filling): Promise<Times> {
    const costs: number[] = [];
    for (const part of SIZES) costs.push(await costOf(sent(filling(most * part)), clock));
    return costs;
  }

  /** The growth of the best times, measured until it is within its limit or patience ends. */
  async function growthOver(reader: Reader, filling: Filling): Promise<number> {
    let best = await measure(reader, filling);
    for (let round = 1; round < ROUNDS_MAX; round += 1) {
      if (round >= ROUNDS_MIN && growthOf(best) <= GROWTH_MAX) break;
      best = quicker(best, await measure(reader, filling));
    }
    return growthOf(best);
  }

  for (const reader of READERS) {
    for (const [what, filling] of Object.entries(FILLINGS)) {
      trial.it(`takes time in proportion to a body: ${reader.name}, ${what}`, async () => {
        expect(await growthOver(reader, filling)).toBeLessThanOrEqual(GROWTH_MAX);
      });
    }
  }
});
