/** The floor of workers: bare Fastify routes over the bare store, with a list of what is ready. */
import type { Socket } from 'node:net';
import Fastify from 'fastify';
import { type FloorDocument, floorState, newFloorTask } from '../floors/floor-task.js';
import { SqliteFloor } from '../floors/sqlite-floor.js';
import { type Drive, type HandedIn, Pump } from '../pump.js';
import { serve } from '../serve.js';
import { STEPS } from '../sizes.js';

/** A task, as far as the floor has got with it. */
interface FloorWork {
  readonly row: number;
  readonly taskId: string;
  /** Steps that it has. */
  readonly steps: number;
  step: number;
  revision: number;
}

/** A document, as far as an item has it. */
interface Stored {
  readonly plan: FloorDocument;
}

const NAMES = ['one', 'two', 'three', 'four'] as const;

/** The rest of an item, at about the length that it has with us: the same bytes go to workers. */
const REST = {
  claimText: 'x'.repeat(176),
  ...{ flow: 'bench-held', run: 'one', direction: 'normal', module: 'held', command: 'pass' },
  ...{ labels: {}, results: {}, attempt: 1, fencingToken: 1, confirm: false, traceparent: null },
  ...{ idempotencyKey: 'x'.repeat(47), forwardKey: 'x'.repeat(47) },
  ...{ completionToken: 'x'.repeat(50) },
  ...{ leaseMs: 15_000, timeLeftMs: 300_000, attemptTimeLeftMs: 300_000, waitedMs: 100 },
};

const store = new SqliteFloor('worker-floor.db');
const pump = new Pump(create);
const running = new Map<string, FloorWork>();
const ready: FloorWork[] = [];
const parked = new Set<() => void>();

const app = Fastify();
app.post('/v1/work::poll', async (request, reply) => {
  const { max, wait } = request.body as { readonly max?: number; readonly wait: string };
  if (wait === '0') return reply.send({ items: [] });
  while (ready.length === 0) await park(request.socket);
  const taken = ready.splice(0, max);
  await Promise.all(taken.map(write));
  for (const work of taken) running.set(String(work.row), work);
  // Like ours it keeps no documents of what waits.
  const documents = taken.map(({ taskId }) => JSON.parse(store.get(taskId)!) as Stored);
  return reply.send({ items: taken.map((work, n) => itemOf(work, documents[n]!)) });
});
app.post('/v1/work/:claim([^:]+)::complete', async (request, reply) => {
  const { claim } = request.params as { readonly claim: string };
  const work = running.get(claim)!;
  running.delete(claim);
  work.step += 1;
  await write(work);
  if (work.step === work.steps) pump.finished(1);
  else offer(work);
  return reply.send({ status: 'running' });
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });

serve({
  drive: (drive: Drive) => pump.run(drive),
  url: () => url,
  handIn: (tasks: HandedIn) => pump.handIn(tasks),
  stop: () => app.close(),
});

async function create(flow: string): Promise<void> {
  const { document, taskId } = newFloorTask();
  const row = await store.insert(taskId, JSON.stringify(document), JSON.stringify(floorState(0)));
  offer({ row, taskId, steps: flow === 'bench-held' ? 1 : STEPS, step: 0, revision: 1 });
}

function offer(work: FloorWork): void {
  ready.push(work);
  const [first] = parked;
  first?.();
}

/** Until something is ready; a poll whose connection closes takes nothing. */
function park(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      leave();
      socket.off('close', leave);
      resolve();
    };
    const leave = (): void => void parked.delete(wake);
    parked.add(wake);
    socket.once('close', leave);
  });
}

async function write(work: FloorWork): Promise<void> {
  work.revision += 1;
  await store.update(work.row, work.revision, JSON.stringify(floorState(work.step)));
}

function itemOf({ row, step, taskId }: FloorWork, { plan }: Stored): object {
  return { claim: String(row), taskId, step: NAMES[step], parameters: plan.parameters, ...REST };
}
