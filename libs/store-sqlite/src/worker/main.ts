/** The store's worker: everything that SQLite does, away from the event loop of the process. */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { type Parcel, unpackRequests } from '../parcel.js';
import type { Opening, WorkerSettings } from '../opening.js';
import type { Request } from '../protocol.js';
import { Answers, isWrite } from './answers.js';
import { Checkpoints } from './checkpoints.js';
import type { Database } from './database.js';
import { GroupCommit } from './group-commit.js';
import { explainOpening, openFile } from './open-file.js';
import { OwnFile } from './own-file.js';

type Message = Parcel | 'close';

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
  port.on('message', (first: Message) => {
    const { requests, isLast } = drain(first);
    port.postMessage(group.run(requests));
    if (checkpoints.isDue(requests.filter(isWrite).length)) {
      group.guard(() => checkpoints.run());
      file.settle();
    }
    if (isLast) end(database, file);
  });
}

/** Takes everything that has arrived: it all goes to the disk at once. */
function drain(first: Message): { requests: readonly Request[]; isLast: boolean } {
  const requests: Request[] = [];
  let message: Message | undefined = first;
  while (message !== undefined && message !== 'close') {
    for (const request of unpackRequests(message)) requests.push(request);
    message = receiveMessageOnPort(port)?.message as Message | undefined;
  }
  return { requests, isLast: message === 'close' };
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
