import { type Db, type Document, type MongoClient, MongoServerError } from 'mongodb';
import { RECORD_KINDS, SECRET, STORE_ID } from '#ports';
import { ALL_COLLECTIONS, COLLECTIONS, INDEXES } from './migrations.js';
import { databaseOf } from './options.js';

/** Damage of a database. */
export interface Harm {
  /** For people: the end of a sentence. */
  readonly what: string;
  /** Whether tasks may still be moved and read: the documents are there. */
  readonly isWhole: boolean;
  /** As sentences for people. Default: restore the database, or restart a process. */
  readonly remedy?: string;
}

/** No task needs these: processes go on without them, and write them again. */
const PASSING: ReadonlySet<string> = new Set([
  COLLECTIONS.executors,
  COLLECTIONS.sessions,
  ...RECORD_KINDS.filter(({ isPassing }) => isPassing).map(({ plural }) => plural),
]);

const GRANT = 'Give it the right to read and write again; the processes go on by themselves.';
const UNAUTHORIZED = 13;
const NO_COLLECTION = 26;

/** Looks at the database of a store, and knows what it was when it looked before. */
export class DatabaseLook {
  /** Collections by name, with the id that the server gave each when it was made. */
  private known: ReadonlyMap<string, string> = new Map();

  constructor(
    private readonly db: Db,
    /** The store's id. */
    private readonly id: string,
  ) {}

  /** Null: it is as it should be. Rejects where the server does not answer, or refuses the look. */
  async harm(): Promise<Harm | null> {
    try {
      const what = (await this.harmOfId()) ?? (await this.harmOfCollections());
      return what === null ? await harmOfIndexes(this.db) : { what, isWhole: false };
    } catch (error) {
      if (!(error instanceof MongoServerError) || error.code !== UNAUTHORIZED) throw error;
      const what = `its user has no right to it any more (${error.message})`;
      return { what, isWhole: false, remedy: GRANT };
    }
  }

  /**
   * Written to, so that a database that takes no writes is found out; by a command, which the
   * driver does not send again once it was refused.
   */
  private async harmOfId(): Promise<string | null> {
    const answer = await this.db.command({
      findAndModify: SECRET.plural,
      query: { _id: STORE_ID },
      update: { $currentDate: { seenAt: true } },
      writeConcern: { w: 1 },
    });
    const found = answer['value'] as { readonly text: string } | null;
    if (found === null) return 'it was dropped, or its id was removed';
    return found.text === this.id ? null : 'it was dropped, and another store was made there';
  }

  private async harmOfCollections(): Promise<string | null> {
    const listed = await this.db.listCollections().toArray();
    const now = new Map(listed.map((each) => [each.name, idOf(each)]));
    const gone = [...this.known].find(([name, id]) => now.get(name) !== id);
    if (gone !== undefined) return `its collection ${gone[0]} was dropped`;
    this.known = new Map(
      [...now].filter(([name]) => ALL_COLLECTIONS.includes(name) && !PASSING.has(name)),
    );
    return null;
  }
}

/** Something of the form of a store that a database does not have. */
interface Lack {
  readonly collection: string;
  /** Null: the whole collection. */
  readonly index: string | null;
}

/** The first thing that a database lacks; null: nothing. */
async function lackOf(db: Db): Promise<Lack | null> {
  for (const [collection, wanted] of INDEXES) {
    const there = await indexesOf(db, collection);
    const missing = wanted.find(({ name }) => there.every((each) => each['name'] !== name));
    if (missing === undefined) continue;
    // The next task makes the collection again, with the index of its ids alone.
    const isNew = there.length === 1 && collection === COLLECTIONS.tasks;
    return { collection, index: isNew || there.length === 0 ? null : (missing.name ?? '') };
  }
  return null;
}

function nameOf({ collection, index }: Lack): string {
  return index === null ? `its collection ${collection}` : `its index ${index} of ${collection}`;
}

/** Of a store that was brought to the present form before. */
async function harmOfIndexes(db: Db): Promise<Harm | null> {
  const lack = await lackOf(db);
  if (lack === null) return null;
  return { what: `${nameOf(lack)} was dropped`, isWhole: lack.index !== null };
}

async function indexesOf(db: Db, collection: string): Promise<readonly Document[]> {
  try {
    return await db.collection(collection).listIndexes().toArray();
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NO_COLLECTION) return [];
    throw error;
  }
}

/** A database as the doctor sees it. */
interface DatabaseState {
  /** The store's id; null: it is not a store yet. */
  readonly id: string | null;
  /** For people; null: nothing is wrong. */
  readonly harm: string | null;
  /**
   * For people: what it does not have, because an older version made it, or a person dropped it.
   * The next start makes it. Null: nothing.
   */
  readonly lacks: string | null;
}

/** Looks at the database of a URL, and changes nothing in it. */
export async function examineDatabase(client: MongoClient, url: string): Promise<DatabaseState> {
  const db = client.db(databaseOf(url));
  const ids = db.collection<{ readonly _id: string; readonly text: string }>(SECRET.plural);
  const id = (await ids.findOne({ _id: STORE_ID }))?.text ?? null;
  const lack = id === null ? null : await lackOf(db);
  if (lack === null) return { id, harm: null, lacks: null };
  const isDropped = lack.collection === COLLECTIONS.tasks && lack.index === null;
  const name = nameOf(lack);
  return isDropped
    ? { id, harm: `${name} was dropped`, lacks: null }
    : { id, harm: null, lacks: `${name} is not there` };
}

function idOf(listed: object): string {
  const { info } = listed as { readonly info?: { readonly uuid?: unknown } };
  return JSON.stringify(info?.uuid ?? null);
}
