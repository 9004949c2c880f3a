import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Bench } from '../benchmark.js';
import { Program } from '../program.js';
import { openStandalone } from '../standalone-site.js';

/**
 * A store file with so many finished tasks: copies of one that really ran, made within the file.
 * It is kept from run to run for as long as the store's form stays the same.
 */
export async function filledSqlite(bench: Bench, count: number): Promise<string> {
  const fresh = await storeWithOneTask(bench);
  const form = await ask<string>(bench, fresh, { call: 'form' });
  const file = path.join(bench.cache, `sqlite-${form}-${count}.db`);
  if (existsSync(file)) {
    // Takes out what the run before has added.
    await ask(bench, file, { call: 'trim', argument: count });
    return file;
  }
  bench.say(`  filling a store with ${count.toLocaleString('en-US')} finished tasks ...`);
  await ask(bench, fresh, { call: 'fill', argument: count });
  forgetFilled(bench);
  renameSync(fresh, file);
  return file;
}

/** Stores of a former form are of no use any more, and large. */
function forgetFilled({ cache }: Bench): void {
  const filled = readdirSync(cache).filter((name) => /^sqlite-[0-9a-f]{12}-/.test(name));
  for (const name of filled) rmSync(path.join(cache, name), { force: true });
}

async function storeWithOneTask(bench: Bench): Promise<string> {
  mkdirSync(bench.cache, { recursive: true });
  // In the same folder, so that moving the filled file is renaming it.
  const store = path.join(bench.cache, 'sqlite-part.db');
  for (const end of ['', '-wal', '-shm']) rmSync(store + end, { force: true });
  const site = await openStandalone(bench, { name: 'template', store });
  await site.drive({ kind: 'alone', flow: 'bench-lab', tasks: 1 });
  await site.stop();
  return store;
}

async function ask<T>(
  { folder }: Bench,
  file: string,
  { call, argument }: { call: string; argument?: number },
): Promise<T> {
  const env = { FILL_FILE: file };
  const program = await Program.start({
    program: 'programs/sqlite-fill',
    name: 'fill',
    folder,
    env,
  });
  try {
    return await program.ask<T>(call, argument);
  } finally {
    await program.stop();
  }
}
