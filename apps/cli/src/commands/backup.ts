import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { TarDamaged, unpackTar } from '#archive';
import { SystemClock } from '#machine';
import type { SettledCopy } from '#store-sqlite';
import { send } from '../client/http.js';
import { CliError, EXIT } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, textArg } from '../tree/call.js';
import { readSettings } from './read-settings.js';

const MIB = 1_048_576;

/** `backup` */
export async function backup(session: Session, call: Call): Promise<void> {
  const folder = path.resolve(session.terminal.cwd, textArg(call, 0));
  await expectEmpty(folder);
  session.limit();
  const part = await makePart(folder).catch(unwritable(folder));
  const { settled, source } = await takeInto(part, session, call).catch(async (error: unknown) => {
    await rm(part, { recursive: true, force: true });
    throw error;
  });
  await rm(folder, { recursive: true, force: true });
  await rename(part, folder).catch(unwritable(folder));
  const { bytes, files, tasks } = settled;
  session.printOne({ folder, ...settled }, () => [folder]);
  const size = `${files} files, ${(bytes / MIB).toFixed(1)} MiB, ${tasks} tasks`;
  session.say(`Copied ${source}: ${size}. All pages were checked.`);
}

/** A name of its own: a copy that is not whole is never taken for one. */
async function makePart(folder: string): Promise<string> {
  const { makeFolder } = await import('#settings');
  makeFolder(path.dirname(folder));
  return mkdtemp(`${folder}.part-`);
}

interface Taken {
  readonly settled: SettledCopy;
  /** For people. */
  readonly source: string;
}

async function takeInto(part: string, session: Session, call: Call): Promise<Taken> {
  const source = await fetchInto(part, session).catch((error: unknown) => {
    const isNobody = error instanceof CliError && error.exitCode === EXIT.unreachable;
    if (!isNobody || isUrlGiven(session, call)) throw error;
    return copyInto(part, session, call);
  });
  session.progress('checking the copy');
  const { settleCopy } = await import('#store-sqlite');
  try {
    return { settled: settleCopy(part), source };
  } catch (error) {
    throw new CliError(EXIT.unreachable, (error as Error).message);
  }
}

/** Returns where it came from. */
async function fetchInto(part: string, session: Session): Promise<string> {
  const { options } = session.client();
  session.progress(`${options.url} copies its store`);
  const answer = await send({ at: 'POST /v1/backup' }, options);
  const { body } = answer;
  if (body === null) throw broken(options.url, 'it is empty');
  try {
    await unpackTar(counted(body, session), part);
  } catch (error) {
    session.signal.throwIfAborted();
    if (isOfDisk(error)) unwritable(path.dirname(part))(error);
    if (error instanceof TarDamaged) throw broken(options.url, error.message);
    throw broken(options.url, (error as Error).message);
  }
  return options.url;
}

/** With the progress of what has arrived. */
async function* counted(
  body: AsyncIterable<Uint8Array>,
  session: Session,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const bit of body) {
    session.signal.throwIfAborted();
    bytes += bit.length;
    session.progress(`${(bytes / MIB).toFixed(1)} MiB copied`);
    yield bit;
  }
}

/** Nobody listens: the files themselves. */
async function copyInto(part: string, session: Session, call: Call): Promise<string> {
  const { data, store } = await readSettings(session, { ...call, options: {} });
  if (store.kind !== 'sqlite') throw new CliError(EXIT.conflict, OF_SERVER);
  const { copyStoppedStore, StoreBusy } = await import('#store-sqlite');
  session.progress(`copying ${store.file}`);
  try {
    await copyStoppedStore({ file: store.file, data }, part, new SystemClock());
  } catch (error) {
    const { message } = error as Error;
    const isBusy = error instanceof StoreBusy;
    if (isBusy) throw new CliError(EXIT.conflict, message, 'Say where it listens with --url.');
    throw new CliError(EXIT.unreachable, message);
  }
  return store.file;
}

const OF_SERVER =
  'the store is MongoDB: take a backup with its own tools, such as mongodump --oplog';

function isUrlGiven({ terminal }: Session, call: Call): boolean {
  return (
    call.root.getOptionValueSource('url') === 'cli' || (terminal.env['BACKSTEP_URL'] ?? '') !== ''
  );
}

async function expectEmpty(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    return unwritable(folder)(error);
  });
  if (found.length > 0) throw new CliError(EXIT.usage, `${folder} is not empty`);
}

function unwritable(folder: string): (error: unknown) => never {
  return (error) => {
    throw new CliError(EXIT.usage, `cannot write ${folder}: ${(error as Error).message}`);
  };
}

/** Whether an error is of the files that are written, and not of the connection. */
function isOfDisk(error: unknown): boolean {
  const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
  return code !== '' && ['open', 'mkdir', 'write', 'fsync', 'close'].includes(syscall);
}

function broken(url: string, reason: string): CliError {
  const sentence = `the copy from ${url} did not arrive whole: ${reason}`;
  return new CliError(EXIT.unreachable, sentence, 'Take it again.');
}
