import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '#ports';
import { SystemClock } from '#testing';
import { asFileError, openSqlite, type SqliteFile } from './sqlite-file.js';
import type { SqliteTx } from './sqlite-tx.js';

const MIGRATIONS = ['CREATE TABLE note (text TEXT NOT NULL)'];
/** Where no page is free, a file of this number of pages has no room for it. */
const LARGE = 'x'.repeat(100_000);
const PAGES = 20;

describe('a participant’s file in trouble', () => {
  let folder: string;
  let file: SqliteFile;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'backstep-file-'));
    const options = { clock: new SystemClock(), migrations: MIGRATIONS };
    file = await openSqlite({ ...options, file: path.join(folder, 'notes.db') });
  });

  afterEach(async () => {
    await file.close();
    rmSync(folder, { recursive: true });
  });

  const limit = (pages: number): void => {
    file.read((tx) => tx.get(`PRAGMA max_page_count = ${pages}`));
  };
  const add = (text: string) => (tx: SqliteTx) => {
    tx.run('INSERT INTO note VALUES (?)', text);
  };
  const notes = (): unknown => file.read((tx) => tx.all('SELECT length(text) AS n FROM note'));

  it('says that it cannot be used while it is read-only, and takes more afterwards', async () => {
    file.read((tx) => tx.get('PRAGMA query_only = 1'));
    await expect(file.write(add('a'))).rejects.toThrow(StoreUnavailable);
    file.read((tx) => tx.get('PRAGMA query_only = 0'));
    await file.write(add('a'));
    expect(notes()).toEqual([{ n: 1 }]);
  });

  it('says that it cannot be used when it is full, harms no other write, and takes more when there is room', async () => {
    limit(PAGES);
    const [small, large] = [file.write(add('small')), file.write(add(LARGE))];
    await expect(large).rejects.toThrow(StoreUnavailable);
    await small;
    expect(notes()).toEqual([{ n: 5 }]);
    limit(1_000);
    await file.write(add(LARGE));
    expect(notes()).toEqual([{ n: 5 }, { n: LARGE.length }]);
  });

  it('hands on what the work itself throws', async () => {
    const failing = file.write(() => {
      throw new RangeError('no such host');
    });
    await expect(failing).rejects.toThrow(RangeError);
  });
});

const withCode = (code: string): Error => Object.assign(new Error('no'), { code });

it.each(['BUSY', 'CANTOPEN', 'CORRUPT', 'FULL', 'IOERR_WRITE', 'NOTADB', 'READONLY_DIRECTORY'])(
  'says of SQLITE_%s that the file cannot be used now',
  (code) => {
    const error = asFileError(withCode(`SQLITE_${code}`), 'notes.db');
    expect(error).toBeInstanceOf(StoreUnavailable);
    expect(error).toHaveProperty('message', expect.stringContaining('notes.db'));
  },
);

it('leaves what is wrong with a statement to its author', () => {
  const error = withCode('SQLITE_CONSTRAINT_UNIQUE');
  expect(asFileError(error, 'notes.db')).toBe(error);
});
