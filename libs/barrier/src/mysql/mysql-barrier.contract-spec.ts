import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { Barrier, BarrierContext } from '#ports';
import { barrierContract, type BarrierFixture, SystemClock } from '#testing';
import { describeWith } from '../../../../test/servers/describe-with.js';
import { type MariadbServer, present, startMariadb } from '../../../../test/servers/index.js';
import { MysqlBarrier, type MysqlBarrierParts, MysqlSchemaBarrier } from './mysql-barrier.js';
import { MysqlMarks } from './mysql-marks.js';
import { MysqlSessions } from './mysql-sessions.js';

const clock = new SystemClock();
let schemas = 0;

describeWith('the barriers on MariaDB', { servers: ['mariadb'] }, () => {
  let server: MariadbServer;

  beforeAll(async () => {
    server = present(await startMariadb());
  }, 120_000);

  afterAll(async () => {
    await server?.stop();
  });

  type Kind = (place: {
    parts: MysqlBarrierParts;
    schema: string;
  }) => { barrier: (parts: MysqlBarrierParts) => Barrier<Connection>; prepare: string } & Pick<
    BarrierFixture<Connection>,
    'apply' | 'revert'
  > & { count: (session: Connection, id: string) => Promise<number> };

  const open = async (kind: Kind): Promise<BarrierFixture<Connection>> => {
    const schema = `barrier_${process.pid}_${(schemas += 1)}`;
    const opened: MysqlSessions[] = [];
    const connect = () => {
      const sessions = new MysqlSessions({ url: server.url });
      opened.push(sessions);
      return { clock, marks: new MysqlMarks({ schema }), sessions };
    };
    const parts = connect();
    const { apply, barrier, count, prepare, revert } = kind({ parts, schema });
    await parts.sessions.use(async (session) => {
      await parts.marks.prepare(session);
      await session.query(prepare);
    });
    return {
      barrier: barrier(parts),
      apply,
      revert,
      count: (context) => parts.sessions.use((session) => count(session, idOf(context))),
      openAnother: () => Promise.resolve(barrier(connect())),
      dispose: async () => {
        await parts.sessions.use((session) => session.query(`DROP DATABASE ${schema}`));
        for (const sessions of opened) await sessions.close();
      },
    };
  };

  it('sessions end by themselves when they idle, so that no lock is held for long', async () => {
    const sessions = new MysqlSessions({ url: server.url });
    const [rows] = await sessions.use((session) =>
      session.query<RowDataPacket[]>('SELECT @@wait_timeout AS n'),
    );
    await sessions.close();
    expect(Number(rows[0]?.['n'])).toBe(30);
  });

  barrierContract('rows in InnoDB', () =>
    open(({ schema }) => {
      const add = async (tx: Connection, context: BarrierContext, n: number) => {
        const sql = `INSERT INTO ${schema}.effects VALUES (?, ?) ON DUPLICATE KEY UPDATE n = n + ?`;
        await tx.query(sql, [idOf(context), n, n]);
      };
      return {
        barrier: (parts) => new MysqlBarrier(parts),
        prepare: `CREATE TABLE ${schema}.effects (id VARCHAR(99) COLLATE utf8mb4_bin PRIMARY KEY, n INT NOT NULL)`,
        apply: (tx, context) => add(tx, context, 1),
        revert: (tx, context) => add(tx, context, -1),
        count: async (session, id) => {
          const sql = `SELECT n FROM ${schema}.effects WHERE id = ?`;
          const [rows] = await session.query<RowDataPacket[]>(sql, [id]);
          return Number(rows[0]?.['n'] ?? 0);
        },
      };
    }),
  );

  barrierContract('statements that commit by themselves', () =>
    open(({ schema }) => ({
      barrier: (parts) => new MysqlSchemaBarrier(parts),
      prepare: 'SELECT 1',
      apply: async (tx, context) => {
        await tx.query(`CREATE TABLE IF NOT EXISTS ${schema}.\`${idOf(context)}\` (n INT)`);
      },
      revert: async (tx, context) => {
        await tx.query(`DROP TABLE IF EXISTS ${schema}.\`${idOf(context)}\``);
      },
      count: async (session, id) => {
        const sql =
          'SELECT COUNT(*) AS n FROM information_schema.tables ' +
          'WHERE table_schema = ? AND table_name = ?';
        const [rows] = await session.query<RowDataPacket[]>(sql, [schema, id]);
        return Number(rows[0]?.['n']);
      },
    })),
  );
});

function idOf({ taskId, run }: BarrierContext): string {
  return `effect_${taskId}_${run}`;
}
