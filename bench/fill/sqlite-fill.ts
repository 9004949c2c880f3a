import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Bench } from '../benchmark.js';
import { Program } from '../program.js';
import type { Site } from '../site.js';
import { openStandalone } from '../standalone-site.js';

/**
 * A store file with a number of finished tasks: copies of one that really ran, made within the
 * file. It is kept from run to run for as long as the store's form stays the same.
 */
export async function filledSqlite(bench: Bench, count: number): Promise<string> {
  mkdirSync(bench.cache, { recursive: true });
  // In the same folder, so that moving the filled file is renaming it.
  const fresh = path.join(bench.cache, 'sqlite-part.db');
  await makeTemplate(bench, fresh, (site) => {
    return site.drive({ kind: 'alone', flow: 'bench-lab', tasks: 1 });
  });
  const form = await ask<string>(bench, fresh, { call: 'form' });
  const file = path.join(bench.cache, `sqlite-${form}-${count}.db`);
  if (existsSync(file)) {
    // Takes out what the run before has added.
    await ask(bench, file, { call: 'trim', argument: count });
    return file;
  }
  bench.say(`  filling a store with ${count.toLocaleString('en-US')} finished tasks ...`);
  await ask(bench, fresh, { call: 'fillFinished', argument: count });
  forgetFilled(bench);
  renameSync(fresh, file);
  return file;
}

/**
 * A store file with a number of tasks and one more that wait for an hour: copies of one that really
 * began to. It is made again each time, because the hour passes.
 */
export async function waitingSqlite(bench: Bench, count: number): Promise<string> {
  const file = path.join(bench.folder, 'sqlite-waiting.db');
  await makeTemplate(bench, file, (site) => site.park());
  await ask(bench, file, { call: 'fillWaiting', argument: count });
  return file;
}

/** A new store file with a number of finished tasks, to do with as one likes. */
export async function finishedSqlite(
  bench: Bench,
  { count, name }: { readonly count: number; readonly name: string },
): Promise<string> {
  const file = path.join(bench.folder, `sqlite-${name}.db`);
  await makeTemplate(bench, file, (site) => {
    return site.drive({ kind: 'alone', flow: 'bench-lab', tasks: 1 });
  });
  await ask(bench, file, { call: 'fillFinished', argument: count });
  return file;
}

/** Stores of a former form are of no use any more, and large. */
function forgetFilled({ cache }: Bench): void {
  const filled = readdirSync(cache).filter((name) => /^sqlite-[0-9a-f]{12}-/.test(name));
  for (const name of filled) rmSync(path.join(cache, name), { force: true });
}

/** A new store file with the one task that `make` makes. */
async function makeTemplate(
  bench: Bench,
  store: string,
  make: (site: Site) => Promise<unknown>,
): Promise<void> {
  for (const end of ['', '-wal', '-shm']) rmSync(store + end, { force: true });
  const site = await openStandalone(bench, { name: 'template', store });
  await make(site);
  await site.stop();
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
