import { type Collection, type Db, MongoServerError } from 'mongodb';
import { DUPLICATE_KEY, UnsuitableServer } from './failure.js';

/** Writers that compete in a round: races show only where there are many. */
const RIVALS = 32;

/** Rounds of each kind; a server that is wrong is seldom lucky in all of them. */
const ROUNDS = 3;

/** The operations of the proof on the server; `scratchOn` makes them on a real one. */
export interface Scratch {
  /** Creates the document that writers compete for, at revision 1. */
  create(id: string): Promise<void>;
  /** Raises the revision from 1 to 2; whether the server says that this one did it. */
  raise(id: string, writer: number): Promise<boolean>;
  /** Inserts a document under this id; whether the server took it. */
  claim(id: string, writer: number): Promise<boolean>;
  /** Removes what was written under these names. */
  remove(names: readonly string[]): Promise<void>;
}

interface ScratchDocument {
  readonly _id: string;
  readonly name: string;
  readonly revision?: number;
  readonly writer?: number;
}

/** Name of the collection for the start-up proof; it is empty at all other times. */
const COLLECTION = 'startup_proof';

/**
 * Proves on scratch documents that of many concurrent conditional updates exactly one wins, and of
 * many concurrent inserts under one id exactly one. Some servers that speak the protocol
 * read, compare and write in three steps: with those, two executors would run one step. Throws
 * `UnsuitableServer`.
 */
export async function proveServer(scratch: Scratch, newMark: () => string): Promise<void> {
  const names: string[] = [];
  const fresh = (): string => {
    const name = newMark();
    names.push(name);
    return name;
  };
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      await proveUpdates(scratch, fresh());
      await proveInserts(scratch, fresh());
    }
  } finally {
    await scratch.remove(names);
  }
}

async function proveUpdates(scratch: Scratch, id: string): Promise<void> {
  await scratch.create(id);
  const winners = await countWinners((writer) => scratch.raise(id, writer));
  if (winners === 1) return;
  throw new UnsuitableServer(
    `The MongoDB server let ${winners} of ${RIVALS} concurrent conditional updates of one document ` +
      'win where exactly one may: it cannot keep two executors from running the same step.',
  );
}

async function proveInserts(scratch: Scratch, id: string): Promise<void> {
  const winners = await countWinners((writer) => scratch.claim(id, writer));
  if (winners === 1) return;
  throw new UnsuitableServer(
    `The MongoDB server took ${winners} of ${RIVALS} concurrent inserts under one id where ` +
      'exactly one may succeed: a repeated request would start a second task.',
  );
}

async function countWinners(race: (writer: number) => Promise<boolean>): Promise<number> {
  const results = await Promise.all(Array.from({ length: RIVALS }, (_, writer) => race(writer)));
  return results.filter(Boolean).length;
}

/** Scratch documents on a real server, written the way tasks are. */
export function scratchOn(db: Db): Scratch {
  const documents = db.collection<ScratchDocument>(COLLECTION);
  return {
    async create(id) {
      await documents.insertOne({ _id: id, name: id, revision: 1 });
    },
    async raise(id, writer) {
      const update = { updateOne: { filter: { _id: id, revision: 1 }, update: raised(writer) } };
      const { matchedCount } = await documents.bulkWrite([update], { ordered: false });
      return matchedCount === 1;
    },
    claim: (id, writer) => isTaken(documents, { _id: id, name: id, writer }),
    async remove(names) {
      await documents.deleteMany({ name: { $in: [...names] } });
    },
  };
}

function raised(writer: number): { $set: { revision: number; writer: number } } {
  return { $set: { revision: 2, writer } };
}

async function isTaken(
  documents: Collection<ScratchDocument>,
  document: ScratchDocument,
): Promise<boolean> {
  try {
    await documents.insertOne(document);
    return true;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return false;
    throw error;
  }
}
