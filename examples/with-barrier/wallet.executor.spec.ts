import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { SystemClock } from 'backstep';
import { BARRIER_TABLE, openSqlite, SqliteBarrier, type SqliteFile } from 'backstep/barrier';
import { commandContext } from 'backstep/testing';
import { WALLET_TABLE, WalletExecutor } from './wallet.executor.js';

const clock = new SystemClock();
let folder: string;
let file: SqliteFile;
let executor: WalletExecutor;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'wallet-'));
  const migrations = [BARRIER_TABLE, WALLET_TABLE];
  file = await openSqlite({ clock, file: path.join(folder, 'wallet.db'), migrations });
  await file.write((tx) => tx.run("INSERT INTO wallets VALUES ('ada', 100)"));
  executor = new WalletExecutor(file, new SqliteBarrier(file, clock));
});

afterEach(async () => {
  await file.close();
  rmSync(folder, { recursive: true });
});

const payment = { wallet: 'ada', cents: 30 };
const forward = (fencingToken: number) => commandContext({ fencingToken });
const back = (fencingToken: number) => commandContext({ direction: 'rollback', fencingToken });

it('pays once, however often it is started', async () => {
  expect(await executor.pay(payment, forward(1))).toEqual({ wallet: 'ada', paid: 30 });
  expect(await executor.pay(payment, forward(2))).toEqual({ wallet: 'ada', paid: 30 });
  expect(executor.balance('ada')).toBe(70);
});

it('pays back once, and only what was paid', async () => {
  await executor.payBack(payment, back(1));
  expect(executor.balance('ada')).toBe(100);
});

it('refuses a payment that comes after its rollback', async () => {
  await executor.pay(payment, forward(1));
  await executor.payBack(payment, back(2));
  await executor.payBack(payment, back(3));
  await expect(executor.pay(payment, forward(1))).rejects.toMatchObject({ name: 'Superseded' });
  expect(executor.balance('ada')).toBe(100);
});

it('refuses an attempt that was overtaken', async () => {
  await expect(executor.pay({ ...payment, cents: 101 }, forward(2))).rejects.toThrow('too little');
  await expect(executor.pay(payment, forward(1))).rejects.toMatchObject({ name: 'StaleToken' });
});

it('fails for good where there is too little', async () => {
  const tooMuch = executor.pay({ wallet: 'ada', cents: 101 }, forward(1));
  await expect(tooMuch).rejects.toMatchObject({ name: 'TerminalError' });
});
