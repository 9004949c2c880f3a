import { type FlowStanding, judgePut } from '#ports';
import type { PutCells, StoredHead, StoredRetirement } from '../definition-cells.js';
import type { StoredPut } from '../protocol.js';
import type { Database, Statement } from './database.js';
import type { FlowStatements } from './flow-statements.js';

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
