import { MongoServerError, type Collection, type Db } from 'mongodb';
import { DUPLICATE_KEY } from './failure.js';
import type { Scratch } from './server-proof.js';

interface ScratchDocument {
  readonly _id: string;
  readonly name: string;
  readonly revision?: number;
  readonly writer?: number;
}

/** Name of the collection for the start-up proof; it is empty at all other times. */
const COLLECTION = 'startup_proof';

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
