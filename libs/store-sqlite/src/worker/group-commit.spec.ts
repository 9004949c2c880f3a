import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { Request } from '../protocol.js';
import { GroupCommit } from './group-commit.js';
import { openFile } from './open-file.js';

const ping: Request = ['ping'];
const save = (name: string): Request => ['saveFlow', name, 'h', '{}', 1, 0];

describe('the group commit', () => {
  it('runs all writes in one transaction and the reads after it', () => {
    const file = new FakeFile();
    const answers = file.run([ping, save('a'), ping, save('b')]);
    expect(answers).toEqual(['read', 'saved a', 'read', 'saved b']);
    expect(file.log).toEqual(['BEGIN IMMEDIATE', 'a', 'b', 'COMMIT', 'ping', 'ping']);
  });

  it('opens no transaction where nothing is written', () => {
    const file = new FakeFile();
    file.run([ping]);
    expect(file.log).toEqual(['ping']);
  });

  it('does the others again one by one when a request is refused', () => {
    const file = new FakeFile();
    file.fails.set('bad', 'SQLITE_TOOBIG');
    const answers = file.run([save('a'), save('bad'), save('b')]);
    expect(answers).toEqual(['saved a', { failure: 'refused', message: 'bad' }, 'saved b']);
    expect(file.kept).toEqual(['a', 'b']);
  });

  it('answers that the store is unavailable while the disk is full, and goes on after that', () => {
    const file = new FakeFile();
    file.fails.set('COMMIT', 'SQLITE_FULL');
    const message = expect.stringMatching(/now: COMMIT\. Make room on its disk\./);
    const failure = { failure: 'unavailable', message };
    expect(file.run([save('a'), save('b')])).toEqual([failure, failure]);
    expect(file.kept).toEqual([]);
    file.fails.clear();
    expect(file.run([save('a'), ping])).toEqual(['saved a', 'read']);
    expect(file.kept).toEqual(['a']);
  });

  it('is not ready while writes fail, and finds out by itself when they do not', () => {
    const file = new FakeFile();
    const probe = 'UPDATE probe SET filling = randomblob(65536)';
    file.fails.set('COMMIT', 'SQLITE_FULL').set(probe, 'SQLITE_FULL');
    file.run([save('a')]);
    const failure = { failure: 'unavailable', message: expect.stringContaining(probe) };
    expect(file.run([ping])).toEqual([failure]);
    // A small write often finds room on a full disk.
    file.fails.delete('COMMIT');
    expect(file.run([save('b'), ping])).toEqual(['saved b', failure]);
    file.fails.clear();
    expect(file.run([ping, ping])).toEqual(['read', 'read']);
    expect(file.log.filter((entry) => entry === probe)).toHaveLength(3);
  });

  it('finds out by writing to the file, however often', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'backstep-probe-'));
    const db = openFile(path.join(folder, 'a.db'));
    const failing = Object.assign(new Error('full'), { code: 'SQLITE_FULL' });
    const write = (): never => {
      throw failing;
    };
    const group = new GroupCommit({
      db,
      file: { harm: () => null, settleLog: () => undefined },
      answers: { write, read: () => 'read' },
    });
    const sizes: number[] = [];
    for (let outage = 0; outage < 3; outage += 1) {
      group.run([save('a')]);
      expect(group.run([ping])).toEqual(['read']);
      sizes.push((await stat(path.join(folder, 'a.db-wal'))).size);
    }
    const grown = sizes.map((size, outage) => size - (sizes[outage - 1] ?? 0));
    expect(Math.min(...grown)).toBeGreaterThan(65_536);
    db.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('refuses everything once a sync has failed, also where the next one would go well', () => {
    const file = new FakeFile();
    file.fails.set('COMMIT', 'SQLITE_IOERR_FSYNC');
    const refused = { failure: 'unavailable', message: expect.stringContaining('restart') };
    expect(file.run([save('a'), save('b')])).toEqual([refused, refused]);
    file.fails.clear();
    file.log.length = 0;
    expect(file.run([save('a'), ping])).toEqual([refused, refused]);
    expect(file.log).toEqual([]);
  });

  it('takes a failed sync of a checkpoint just as seriously', () => {
    const file = new FakeFile();
    file.group.guard(() => file.execute('checkpoint'));
    expect(file.run([save('a')])).toEqual(['saved a']);
    file.fails.set('checkpoint', 'SQLITE_IOERR_FSYNC');
    file.group.guard(() => file.execute('checkpoint'));
    expect(file.run([save('a')])).toEqual([expect.objectContaining({ failure: 'unavailable' })]);
  });

  it.each(['SQLITE_CORRUPT', 'SQLITE_CORRUPT_INDEX', 'SQLITE_NOTADB', 'SQLITE_IOERR_SHORT_READ'])(
    'says that the store is damaged once a page is: %s',
    (code) => {
      const file = new FakeFile();
      const damaged = { failure: 'damaged', message: expect.stringMatching(/restore a backup/) };
      file.fails.set('ping', code);
      expect(file.run([ping])).toEqual([damaged]);
      file.fails.clear();
      expect(file.run([save('a'), ping])).toEqual([damaged, damaged]);
      expect(file.kept).toEqual([]);
    },
  );

  it.each([
    ['write', save('a')],
    ['ping', ping],
    ['look for due tasks', ['findDue', 1, 1, 0] as Request],
  ])('acknowledges no %s once the file is not the one that it opened', (_, request) => {
    const file = new FakeFile();
    file.harm = 'was removed or moved';
    const damaged = { failure: 'damaged', message: expect.stringContaining(file.harm) };
    expect(file.run([request])).toEqual([damaged]);
    file.harm = null;
    expect(file.run([save('b'), ping])).toEqual([damaged, damaged]);
  });

  it('gives up when what it began cannot be undone', () => {
    const file = new FakeFile();
    file.fails.set('COMMIT', 'SQLITE_IOERR_WRITE').set('ROLLBACK', 'SQLITE_IOERR_READ');
    file.run([save('a'), save('b')]);
    file.fails.clear();
    const message = expect.stringMatching(/restart to go on: ROLLBACK/);
    expect(file.run([ping])).toEqual([{ failure: 'unavailable', message }]);
  });
});

/** Stands in for the file: keeps what is committed, and fails where it is told to. */
class FakeFile {
  readonly fails = new Map<string, string>();
  readonly kept: string[] = [];
  readonly log: string[] = [];
  /** The end of a sentence, once something has happened to it from outside. */
  harm: string | null = null;
  readonly group = new GroupCommit({
    answers: {
      write: ([, what]) => this.write(typeof what === 'string' ? what : ''),
      read: (request) => {
        this.do(request[0]);
        return 'read';
      },
    },
    db: this,
    file: { harm: () => this.harm, settleLog: () => undefined },
  });
  inTransaction = false;
  private written: string[] = [];

  run(requests: readonly Request[]): readonly unknown[] {
    return this.group.run(requests);
  }

  execute(sql: string): void {
    this.do(sql);
    if (sql.startsWith('BEGIN')) this.inTransaction = true;
    if (sql === 'COMMIT') this.kept.push(...this.written);
    if (sql === 'COMMIT' || sql === 'ROLLBACK') {
      this.inTransaction = false;
      this.written = [];
    }
  }

  private write(name: string): string {
    this.do(name);
    this.written.push(name);
    return `saved ${name}`;
  }

  private do(what: string): void {
    this.log.push(what);
    const code = this.fails.get(what);
    if (code !== undefined) throw Object.assign(new Error(what), { code });
  }
}
