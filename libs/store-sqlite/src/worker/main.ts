/** The store's worker: everything that SQLite does, away from the event loop of the process. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type Parcel, unpackRequests } from '../parcel.js';
import type { Opening, Request, WorkerSettings } from '../protocol.js';
import { Answers } from './answers.js';
import { Checkpoints } from './checkpoints.js';
import type { Database } from './database.js';
import { GroupCommit } from './group-commit.js';
import { explainOpening, openFile } from './open-file.js';
import { OwnFile } from './own-file.js';

/** Messages besides requests: each ends a batch, and `close` all of them. */
type Order = 'close' | 'hold' | 'release';

type Message = Parcel | Order;

const port = parentPort!;
const settings = workerData as WorkerSettings;
const db = open();
if (db !== null) serve(db);

function open(): Database | null {
  try {
    const opened = openFile(settings.path);
    port.postMessage({ kind: 'open' } satisfies Opening);
    return opened;
  } catch (error) {
    const [kind, message] = explainOpening(error);
    port.postMessage({ kind, message } satisfies Opening);
    return null;
  }
}

function serve(database: Database): void {
  const file = new OwnFile(settings.path);
  const group = new GroupCommit({ answers: new Answers(database), db: database, file });
  const checkpoints = new Checkpoints(database, settings.checkpointPages);
  const orders: Readonly<Record<Order, () => void>> = {
    close: () => end(database, file),
    hold: () => {
      const failure = group.guard(() => checkpoints.hold());
      file.settle();
      port.postMessage([failure ?? 1]);
    },
    release: () => {
      checkpoints.release();
      port.postMessage([1]);
    },
  };
  port.on('message', (first: Message) => {
    const { order, requests } = drain(first);
    port.postMessage(group.run(requests));
    if (checkpoints.isDue(file.logBytes)) {
      group.guard(() => checkpoints.run());
      file.settle();
    }
    if (order !== null) orders[order]();
  });
}

/** Takes everything that has arrived, up to an order: it all goes to the disk at once. */
function drain(first: Message): { requests: readonly Request[]; order: Order | null } {
  const requests: Request[] = [];
  let message: Message | undefined = first;
  while (typeof message === 'object') {
    for (const request of unpackRequests(message)) requests.push(request);
    message = receiveMessageOnPort(port)?.message as Message | undefined;
  }
  return { requests, order: message ?? null };
}

function end(database: Database, file: OwnFile): void {
  file.putAsideIfChanged();
  try {
    if (file.harm() === null) database.value('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // The log stays beside the file, and the next start reads it.
  }
  database.close();
  port.close();
}
