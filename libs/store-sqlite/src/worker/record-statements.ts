import type { PreviousRow, RecordCells, RecordsAsked, StoredRecord } from '../protocol.js';
import type { Database, Parameter, Row, Statement } from './database.js';
import { StatementShelf } from './statement-shelf.js';

const PLACES = [1, 2, 3, 4].map((n) => `of_${n}, at_${n}`).join(', ');
const COLUMNS = `kind, id, tag, ${PLACES}, text`;
const VALUES = COLUMNS.replaceAll(/\w+/g, '?');
const SET = `tag = ?, ${PLACES.replaceAll(/\w+/g, '$& = ?')}, text = ?`;

/** Conditions on the record in the place. */
const IS_SAME = { tag: 'tag = ?', bytes: 'hex(text) = ?', any: 'true' } as const;

/** The statements of records of all kinds. */
export class RecordStatements {
  readonly #shelf: StatementShelf;
  readonly #insert: Statement;
  readonly #one: Statement;

  constructor(db: Database) {
    this.#shelf = new StatementShelf(db);
    this.#insert = db.prepare(
      `INSERT INTO record (${COLUMNS}) VALUES (${VALUES}) ON CONFLICT DO NOTHING`,
    );
    this.#one = db.prepare(`SELECT id, tag, text, ${PLACES} FROM record WHERE kind = ? AND id = ?`);
  }

  /** Stores a record in the place of another. Tells how many it was of: 0 or 1. */
  put({ id, kind, places, previous, tag, text }: RecordCells): number {
    const cells = [tag, ...places, text];
    const isNew = previous === null || previous === true;
    const count = isNew ? this.#insert.run([kind, id, ...cells]) : 0;
    if (count === 1 || previous === null) return count;
    return this.#change(`UPDATE record SET ${SET}`, cells, { kind, id, previous });
  }

  /** Removes a record. Tells how many it was of: 0 or 1. */
  remove(kind: string, id: string, previous: PreviousRow): number {
    return this.#change('DELETE FROM record', [], { kind, id, previous });
  }

  /** Removes those that are asked for. Tells how many. */
  removeAll(asked: RecordsAsked): number {
    const { parameters, sql } = selection('id', asked);
    const statement = `DELETE FROM record WHERE kind = ? AND id IN (${sql})`;
    return this.#shelf.prepare(statement).run([asked.kind, ...parameters]);
  }

  /** The record of an id. */
  get(kind: string, id: string): StoredRecord | null {
    return (this.#one.row([kind, id]) as StoredRecord | undefined) ?? null;
  }

  /** Those that are asked for. */
  list(asked: RecordsAsked): readonly Row[] {
    const { parameters, sql } = selection(`id, tag, text, ${PLACES}`, asked);
    return this.#shelf.prepare(sql).rows(parameters);
  }

  #change(sql: string, cells: readonly Parameter[], { id, kind, previous }: Target): number {
    const [how, expected] = conditionOf(previous);
    const statement = this.#shelf.prepare(`${sql} WHERE kind = ? AND id = ? AND ${IS_SAME[how]}`);
    return statement.run([...cells, kind, id, ...expected]);
  }
}

type Target = Pick<RecordCells, 'id' | 'kind' | 'previous'>;

function conditionOf(previous: PreviousRow): readonly [keyof typeof IS_SAME, readonly string[]] {
  if (previous === true || previous === null) return ['any', []];
  return typeof previous === 'string' ? ['tag', [previous]] : ['bytes', previous];
}

interface Selection {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

/** The query for the records that are asked for: each of its forms has its index. */
export function selection(columns: string, asked: RecordsAsked): Selection {
  const { after, from, index, isDescending, kind, limit, of, skip, upTo } = asked;
  const conditions: (readonly [sql: string, ...parameters: Parameter[]])[] = [['kind = ?', kind]];
  const behind = isDescending ? '<' : '>';
  const down = isDescending ? ' DESC' : '';
  const at = `at_${index}`;
  if (index === 0) {
    if (after !== undefined) conditions.push([`id ${behind} ?`, after.id]);
  } else {
    conditions.push([`${at} IS NOT NULL`], ofCondition(index, of));
    if (from !== undefined) conditions.push([`${at} >= ?`, from]);
    if (upTo !== undefined) conditions.push([`${at} <= ?`, upTo]);
    if (after !== undefined) conditions.push([`(${at}, id) ${behind} (?, ?)`, after.at, after.id]);
  }
  const order = index === 0 ? `id${down}` : `${at}${down}, id${down}`;
  const where = conditions.map(([sql]) => sql).join(' AND ');
  const parameters = conditions.flatMap(([, ...values]) => values);
  // Left to itself, SQLite goes through all of a kind where several values are as good.
  const table = index === 0 ? 'record' : `record INDEXED BY record_by_${index}`;
  const sql = `SELECT ${columns} FROM ${table} WHERE ${where} ORDER BY ${order} LIMIT ? OFFSET ?`;
  return { sql, parameters: [...parameters, limit, skip] };
}

function ofCondition(
  index: number,
  of: RecordsAsked['of'],
): readonly [sql: string, parameter: string] {
  if (typeof of === 'string') return [`of_${index} = ?`, of];
  return [`of_${index} IN (SELECT value FROM json_each(?))`, JSON.stringify(of)];
}
