import type { FlowStanding } from '#ports';
import type { StoredFlow } from '../protocol.js';
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
