import { type FlowStanding, judgePut } from '#core/task';
import type { PutCells, StoredFlow, StoredHead, StoredPut, StoredRetirement } from '../protocol.js';
import type { Database, Row, Statement } from './database.js';

/** A definition as its columns have it. */
interface FlowCells {
  readonly name: string;
  readonly hash: string;
  readonly definition: string;
  readonly now: number;
}

const COLUMNS = 'version, hash, definition, created_at, name';

/** The statements of flow definitions. */
export class FlowStatements {
  readonly #insert: Statement;
  readonly #toFile: Statement;
  readonly #newest: Statement;
  readonly #newestOfAll: Statement;
  readonly #version: Statement;

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO flow VALUES (?, ?, ?, ?, ?, ?)');
    this.#toFile = db.prepare(
      "UPDATE flow SET standing = 'file' WHERE name = ? AND version = ? AND standing <> 'file'",
    );
    this.#newest = db.prepare(
      `SELECT ${COLUMNS} FROM flow WHERE name = ? ORDER BY version DESC LIMIT 1`,
    );
    this.#newestOfAll = db.prepare(
      `SELECT ${COLUMNS}, max(version) FROM flow GROUP BY name ORDER BY name`,
    );
    this.#version = db.prepare(`SELECT ${COLUMNS} FROM flow WHERE name = ? AND version = ?`);
  }

  /** The newest version if it has this hash and is not `broken`, else a new one. */
  save(flow: FlowCells, broken: number): StoredFlow {
    const newest = this.get(flow.name, 0);
    const isSame = newest !== null && newest[1] === flow.hash && newest[0] !== broken;
    if (!isSame) return this.add(flow, newest, 'file');
    this.#toFile.run([flow.name, newest[0]]);
    return newest;
  }

  /** The next version of its name. */
  add(flow: FlowCells, newest: StoredFlow | null, standing: FlowStanding): StoredFlow {
    const { name, hash, definition, now } = flow;
    const version = (newest?.[0] ?? 0) + 1;
    this.#insert.run([name, version, hash, definition, now, standing]);
    return [version, hash, definition, now, name];
  }

  /** One version; 0 is the newest. */
  get(name: string, version: number): StoredFlow | null {
    const row = version === 0 ? this.#newest.row([name]) : this.#version.row([name, version]);
    return row === undefined ? null : stored(row);
  }

  /** The newest version of each flow, by name. */
  list(): readonly StoredFlow[] {
    return this.#newestOfAll.rows([]).map(stored);
  }
}

function stored([version, hash, definition, createdAt, name]: Row): StoredFlow {
  return [Number(version), String(hash), String(definition), Number(createdAt), String(name)];
}

/** The statements of definitions that come by requests. */
export class DefinitionStatements {
  readonly #standing: Statement;
  readonly #setStanding: Statement;
  readonly #heads: Statement;
  readonly #versions: Statement;

  constructor(
    db: Database,
    private readonly flows: FlowStatements,
  ) {
    const newest = 'WHERE name = ? ORDER BY version DESC LIMIT 1';
    this.#standing = db.prepare(`SELECT name, version, standing FROM flow ${newest}`);
    this.#setStanding = db.prepare('UPDATE flow SET standing = ? WHERE name = ? AND version = ?');
    this.#heads = db.prepare(
      'SELECT name, max(version), standing FROM flow GROUP BY name ORDER BY name',
    );
    this.#versions = db.prepare(
      `SELECT version, hash, created_at FROM flow WHERE name = ? AND version < ?
        ORDER BY version DESC LIMIT ?`,
    );
  }

  /** Stores a definition as the newest of its name. */
  put([name, hash, definition, now, expected, broken]: PutCells): StoredPut {
    const head = this.#head(name);
    const found = head === null ? null : this.flows.get(name, head[1]);
    // A version that cannot be read is the same as nothing that anybody stores.
    const hashOf = found?.[0] === broken ? '' : found?.[1];
    const newest =
      head === null || hashOf === undefined
        ? null
        : { version: head[1], hash: hashOf, standing: standingOf(head) };
    const verdict = judgePut(newest, { hash, expected: expected ?? undefined });
    if (verdict === 'moved') return ['moved', head?.[1] ?? 0];
    if (verdict === 'added' || found === null) {
      return ['stored', this.flows.add({ name, hash, definition, now }, found, 'stored'), head];
    }
    if (verdict === 'taken') this.#setStanding.run(['stored', name, found[0]]);
    return ['stored', found, head];
  }

  /** No new task is made of the flow. */
  retire(name: string, expected: readonly number[] | null): StoredRetirement {
    const head = this.#head(name);
    if (head === null) return ['unknown', 0];
    if (expected !== null && !expected.includes(head[1])) return ['moved', head[1]];
    if (standingOf(head) !== 'retired') this.#setStanding.run(['retired', name, head[1]]);
    return ['retired', head[1]];
  }

  /** The newest version of each flow, by name. */
  listHeads(): readonly StoredHead[] {
    return this.#heads.rows([]).map(([name, version, standing]): StoredHead => {
      return [String(name), Number(version), String(standing)];
    });
  }

  /** Versions older than one, the newest first. */
  listVersions(name: string, limit: number, before: number): readonly (readonly unknown[])[] {
    return this.#versions.rows([name, before, limit]);
  }

  #head(name: string): StoredHead | null {
    const row = this.#standing.row([name]);
    return row === undefined ? null : [name, Number(row[1]), String(row[2])];
  }
}

function standingOf([, , standing]: StoredHead): FlowStanding {
  return standing as FlowStanding;
}
