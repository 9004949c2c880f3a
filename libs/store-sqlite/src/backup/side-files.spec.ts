import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { StoreUnavailable } from '#ports';
import { Database } from '../worker/database.js';
import { SideFiles } from './side-files.js';

let data: string;

beforeEach(() => {
  data = mkdtempSync(path.join(tmpdir(), 'backstep-side-'));
});
afterEach(() => rmSync(data, { recursive: true }));

function makeDatabase(name: string): string {
  const file = path.join(data, name);
  const db = new Database(file);
  db.execute('CREATE TABLE mark (task TEXT)');
  db.close();
  return file;
}

describe('the databases beside a store', () => {
  it('are all closed again where one of them is damaged', () => {
    makeDatabase('a.db');
    const damaged = makeDatabase('b.db');
    const bytes = readFileSync(damaged, 'latin1').replace('CREATE TABLE', 'CREATE THING');
    writeFileSync(damaged, bytes, 'latin1');
    const close = jest.spyOn(Database.prototype, 'close');
    const places = { data, file: path.join(data, 'backstep.db') };
    expect(() => new SideFiles(places)).toThrow(StoreUnavailable);
    expect(close).toHaveBeenCalledTimes(2);
    close.mockRestore();
  });
});
