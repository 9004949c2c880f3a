import type { Pool, PoolConnection } from 'mysql2/promise';

/** Options of the sessions that participants on MySQL or MariaDB share. */
export interface MysqlSessionsOptions {
  /** Sessions at a time. */
  readonly limit?: number;
  /** `mysql://user:password@host:port/`. */
  readonly url: string;
}

const LIMIT = 16;
const CONNECT_MS = 10_000;
/**
 * A process that was stopped keeps its locks no longer than this: the server then ends its session,
 * and what the process does when it goes on fails.
 */
const IDLE_SECONDS = 30;
const LOCK_WAIT_SECONDS = 20;
/** The pool lets go of a session before the server ends it. */
const POOL_IDLE_MS = 10_000;
const SET_UP =
  `SET SESSION wait_timeout = ${IDLE_SECONDS}, ` +
  `SESSION innodb_lock_wait_timeout = ${LOCK_WAIT_SECONDS}`;

/** Sessions on a server, set up so that nothing can hold a lock for long. */
export class MysqlSessions {
  readonly #options: MysqlSessionsOptions;
  #pool: Promise<Pool> | undefined;

  constructor(options: MysqlSessionsOptions) {
    this.#options = options;
  }

  /** Lends a session; one in which something went wrong is not used again. */
  async use<T>(work: (session: PoolConnection) => Promise<T>): Promise<T> {
    const pool = await (this.#pool ??= openPool(this.#options));
    const session = await pool.getConnection();
    try {
      const result = await work(session);
      session.release();
      return result;
    } catch (error) {
      session.destroy();
      throw error;
    }
  }

  /** Runs work in a transaction. */
  transact<T>(work: (session: PoolConnection) => Promise<T>): Promise<T> {
    return this.use(async (session) => {
      await session.query('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
      await session.beginTransaction();
      const result = await work(session);
      await session.commit();
      return result;
    });
  }

  /** Runs work while this session, and no other, has the lock of that name. */
  withLock<T>(name: string, work: (session: PoolConnection) => Promise<T>): Promise<T> {
    return this.use(async (session) => {
      const [rows] = await session.query('SELECT GET_LOCK(?, ?) AS got', [name, LOCK_WAIT_SECONDS]);
      const [{ got } = { got: 0 }] = rows as { got: number | null }[];
      if (Number(got) !== 1) throw new Error('another attempt at this step is still at work');
      const result = await work(session);
      await session.query('SELECT RELEASE_LOCK(?)', [name]);
      return result;
    });
  }

  async close(): Promise<void> {
    await (await this.#pool)?.end();
  }
}

/** The driver is loaded when it is used. */
async function openPool({ limit = LIMIT, url }: MysqlSessionsOptions): Promise<Pool> {
  const { createPool } = await import('mysql2/promise');
  const pool = createPool({
    uri: url,
    connectionLimit: limit,
    connectTimeout: CONNECT_MS,
    idleTimeout: POOL_IDLE_MS,
    supportBigNumbers: true,
  });
  pool.pool.on('connection', (connection) => {
    // Queued before anything else that the session will be asked. If it fails, so will the rest.
    connection.query(SET_UP, () => undefined);
  });
  return pool;
}
