/** Workers over HTTP, in a process of their own. They do nothing with the actions that they get. */
import { HttpLine } from '../http-line.js';
import { serve } from '../serve.js';

/** Workers of one module, each with a poll that waits for as many actions as it has slots free. */
export interface Crew {
  readonly url: string;
  readonly module: string;
  readonly workers: number;
  readonly slots: number;
}

/** Everything that is ready of one module is taken at once, by polls that ask for many. */
export interface Grab {
  readonly url: string;
  readonly module: string;
  readonly connections: number;
  /** Items of one poll. */
  readonly max: number;
  /** Items that are there. */
  readonly count: number;
}

interface Item {
  readonly claim: string;
  readonly step: string;
}

interface Polled {
  readonly items: readonly Item[];
}

/** Connections on which outcomes of grabbed items are told. */
const TELLERS = 64;
/** The step that a poll may have waited for; of the others it is known that they were ready. */
const FIRST = 'one';

let lines: HttpLine[] = [];
let times: number[] = [];
/** Whether nobody works, so that connections may close. */
const rests = { isOn: true };
/** Items that were taken, and are not told to be done. */
const grabbed: Item[] = [];

serve({ introduce, work, rest, grab, finish, park, stop: rest });

/** Makes a module known: of one that nobody has ever served no task is taken. */
async function introduce({ module, url }: Pick<Crew, 'module' | 'url'>): Promise<void> {
  const line = await HttpLine.open(url);
  await line.post('/v1/work:poll', { worker: `bench:${module}`, module, wait: '0' });
  line.close();
}

/** Has workers work until they rest; resolves when their polls are under way. */
async function work({ module, slots, url, workers }: Crew): Promise<void> {
  rests.isOn = false;
  await forEach(workers, async (n) => {
    const worker = await openWorker(url, slots);
    void worker.run({ worker: `bench:${module}:${n}`, module, wait: '30s' }).catch(fail);
  });
}

/** Ends all workers. Resolves to the milliseconds from each poll to its outcome told. */
function rest(): readonly number[] {
  rests.isOn = true;
  for (const line of lines) line.close();
  const noted = times;
  [lines, times] = [[], []];
  return noted;
}

async function openWorker(url: string, slots: number) {
  const poller = await open(url);
  let free = await openAll(url, slots);
  let freed = (): void => {};
  const tell = async (line: HttpLine, { claim, step }: Item, polledAt: number): Promise<void> => {
    await line.post(`/v1/work/${claim}:complete`, { output: null });
    if (step !== FIRST) times.push(performance.now() - polledAt);
    free.push(line);
    freed();
  };
  return {
    async run(order: object): Promise<void> {
      while (!rests.isOn) {
        const polledAt = performance.now();
        const body = { ...order, max: free.length };
        const { items } = await poller.post<Polled>('/v1/work:poll', body);
        const taken = free.slice(0, items.length);
        free = free.slice(items.length);
        items.forEach((item, n) => void tell(taken[n]!, item, polledAt).catch(fail));
        if (free.length === 0) await new Promise<void>((resolve) => (freed = resolve));
      }
    },
  };
}

/** Takes all items; resolves to how many in a second. */
async function grab({ connections, count, max, module, url }: Grab): Promise<number> {
  rests.isOn = false;
  const pollers = await openAll(url, connections);
  const poll = async (line: HttpLine, n: number): Promise<void> => {
    const body = { worker: `bench:${module}:${n}`, module, max, wait: '20s', lease: '1m' };
    while (grabbed.length < count) {
      grabbed.push(...(await line.post<Polled>('/v1/work:poll', body)).items);
    }
  };
  // The others wait for more by then.
  const perSecond = await rateOf(count, () => Promise.race(pollers.map(poll)));
  rest();
  return perSecond;
}

/** Tells that every item of a grab is done; resolves to how many in a second. */
async function finish(url: string): Promise<number> {
  rests.isOn = false;
  const tellers = await openAll(url, TELLERS);
  const tell = async (line: HttpLine): Promise<void> => {
    for (let item = grabbed.pop(); item !== undefined; item = grabbed.pop()) {
      await line.post(`/v1/work/${item.claim}:complete`, { output: null });
    }
  };
  const perSecond = await rateOf(grabbed.length, () => Promise.all(tellers.map(tell)));
  rest();
  return perSecond;
}

/** Parks polls that get nothing, until all rest. */
async function park({ module, url, workers }: Crew): Promise<void> {
  rests.isOn = false;
  await forEach(workers, async (n) => {
    const line = await open(url);
    void keepParked(line, { worker: `bench:${module}:${n}`, module, wait: '30s' }).catch(fail);
  });
}

async function keepParked(line: HttpLine, body: object): Promise<void> {
  while (!rests.isOn) await line.post('/v1/work:poll', body);
}

function openAll(url: string, count: number): Promise<HttpLine[]> {
  return Promise.all(Array.from({ length: count }, () => open(url)));
}

async function open(url: string): Promise<HttpLine> {
  const line = await HttpLine.open(url);
  lines.push(line);
  return line;
}

async function rateOf(count: number, carryOut: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await carryOut();
  return (count / (performance.now() - start)) * 1_000;
}

async function forEach(count: number, carryOut: (n: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, n) => carryOut(n)));
}

/** A failure while they work spoils the numbers; at rest, connections close. */
function fail(error: unknown): void {
  if (rests.isOn) return;
  console.error(error);
  process.exit(1);
}
