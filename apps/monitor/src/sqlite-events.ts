import type { SqliteFile, SqliteTx } from '#barrier';
import type { EventLog, ReportedEvent, StoredEvent, Storing } from './event-log.js';

/** Migration: what tasks have reported. */
export const EVENT_TABLE = `
  CREATE TABLE events (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    severity TEXT NOT NULL,
    task_id TEXT NOT NULL,
    flow TEXT NOT NULL,
    step TEXT NOT NULL,
    direction TEXT NOT NULL,
    message TEXT NOT NULL,
    delivered INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE INDEX events_at ON events (at);
  CREATE INDEX events_task ON events (task_id, at);
`;

interface EventRow extends Omit<StoredEvent, 'at' | 'delivered'> {
  readonly at: number;
  readonly delivered: number;
}

/** Values of the column `delivered`. */
const WAITING = 0;
const DONE = 1;
const NO_RECEIVER = 2;

const COLUMNS =
  'id, at, kind, severity, task_id AS taskId, flow, step, direction, message, delivered';
const FIND = `SELECT ${COLUMNS} FROM events WHERE id = ?`;
const LIST = `SELECT ${COLUMNS} FROM events ORDER BY at DESC, id DESC LIMIT ?`;
const LIST_OF_TASK = `SELECT ${COLUMNS} FROM events WHERE task_id = ? ORDER BY at DESC, id DESC LIMIT ?`;
const INSERT = `INSERT INTO events
  (id, at, kind, severity, task_id, flow, step, direction, message, delivered)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
const REMOVE_OLD = `DELETE FROM events WHERE id IN
  (SELECT id FROM events WHERE at < ? ORDER BY at LIMIT ?)`;
const DELIVERED = `UPDATE events SET delivered = ${DONE} WHERE id = ?`;

/** Events in a file of this machine. */
export class SqliteEvents implements EventLog {
  constructor(private readonly file: SqliteFile) {}

  async add(
    event: ReportedEvent,
    { hasReceiver, now }: Storing,
  ): Promise<{ event: StoredEvent; isNew: boolean }> {
    const { direction, flow, id, kind, message, severity, step, taskId } = event;
    const about = [taskId, flow, step, direction, message];
    const delivered = hasReceiver ? WAITING : NO_RECEIVER;
    return this.file.write((tx) => {
      const added = tx.run(INSERT, id, now, kind, severity, ...about, delivered);
      return { event: find(tx, id), isNew: added === 1 };
    });
  }

  async markDelivered(id: string): Promise<void> {
    await this.file.write((tx) => tx.run(DELIVERED, id));
  }

  removeOld(before: number, limit: number): Promise<number> {
    return this.file.write((tx) => tx.run(REMOVE_OLD, before, limit));
  }

  async list(limit: number, taskId?: string): Promise<readonly StoredEvent[]> {
    const rows = this.file.read((tx) =>
      taskId === undefined
        ? tx.all<EventRow>(LIST, limit)
        : tx.all<EventRow>(LIST_OF_TASK, taskId, limit),
    );
    return rows.map(storedEvent);
  }
}

function find(tx: SqliteTx, id: string): StoredEvent {
  const row = tx.get<EventRow>(FIND, id);
  if (row === undefined) throw new Error(`event ${id} was not stored`);
  return storedEvent(row);
}

function storedEvent({ at, delivered, ...row }: EventRow): StoredEvent {
  return {
    ...row,
    at: new Date(at).toISOString(),
    delivered: delivered === NO_RECEIVER ? null : delivered === DONE,
  };
}
