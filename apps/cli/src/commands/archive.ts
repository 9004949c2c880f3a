import path from 'node:path';
import { ArchiveDamaged, type ArchivedLine, ArchiveFolder, readArchive } from '#archive';
import { readJson } from '#json';
import { SystemClock, SystemEntropy } from '#machine';
import type { BackstepClient } from '../client/backstep-client.js';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, textArg, textOption } from '../tree/call.js';
import { VERSION } from '../version.js';
import { type PageQuery, pagesOf } from './pages.js';
import { taskQuery } from './parameters.js';

/** Most lines of one request, and most characters but where one line alone has more. */
const LINES_MAX = 200;
const CHARACTERS_MAX = 1_000_000;

/** `archive export` */
export async function archiveExport(session: Session, call: Call): Promise<void> {
  const folder = path.resolve(textOption(call, 'out') ?? '');
  const query = taskQuery(call, ['flow', 'status']);
  const client = clientOf(session);
  const [clock, entropy] = [new SystemClock(), new SystemEntropy()];
  const newName = (): string => entropy.newId();
  const archive = new ArchiveFolder({ folder, newName, writtenBy: VERSION });
  const unwritable = (error: unknown): never => {
    throw new CliError(EXIT.usage, `cannot write into ${folder}: ${String(error)}`);
  };
  await archive.begin().catch(unwritable);
  let count = 0;
  const ask = (page: PageQuery) => client.ask('GET /v1/archive', { query: { ...query, ...page } });
  for await (const page of pagesOf(ask)) {
    if (page.length === 0) continue;
    const lines = page.map((text) => ({ text, endedAt: endOf(text) }));
    await archive.write(lines, clock.now()).catch(unwritable);
    count += page.length;
    session.progress(`${count} tasks written`);
  }
  session.say(`${count} ${count === 1 ? 'task' : 'tasks'} written into ${folder}`);
}

/** `archive import` */
export async function archiveImport(session: Session, call: Call): Promise<ExitCode> {
  const client = clientOf(session);
  const counts = { imported: 0, present: 0, refused: 0 };
  for await (const part of partsOfArchive(path.resolve(textArg(call, 0)))) {
    const { imported, present, refused } = counts;
    session.progress(`${imported + present + refused} tasks put back or looked at`);
    const texts = part.map(({ value }) => JSON.stringify(value));
    // Doing it again is harmless.
    const { results } = await client.ask('POST /v1/archive', { body: { lines: texts } });
    for (const { index, message, result, taskId } of results) {
      counts[result] += 1;
      if (result !== 'refused') continue;
      const { file, line } = part[index]!;
      const about = taskId === null ? 'the line' : `task ${taskId}:`;
      session.say(`${file}:${line}: ${about} ${message}`);
    }
  }
  session.printJson(counts);
  return counts.refused === 0 ? EXIT.done : EXIT.conflict;
}

async function* partsOfArchive(folder: string): AsyncGenerator<readonly ArchivedLine[]> {
  try {
    for await (const lines of readArchive(folder)) yield* partsOf(lines);
  } catch (error) {
    if (error instanceof ArchiveDamaged) throw new CliError(EXIT.usage, error.message);
    throw error;
  }
}

/** However many requests it takes: only `--timeout` limits them. */
function clientOf(session: Session): BackstepClient {
  session.limit();
  return session.client();
}

/** Lines in parts that one request may have. */
function* partsOf(lines: readonly ArchivedLine[]): Generator<readonly ArchivedLine[]> {
  let part: ArchivedLine[] = [];
  let characters = 0;
  for (const line of lines) {
    const { length } = JSON.stringify(line.value);
    if (part.length === LINES_MAX || (part.length > 0 && characters + length > CHARACTERS_MAX)) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(line);
    characters += length;
  }
  if (part.length > 0) yield part;
}

function endOf(text: string): number {
  const { task } = readJson(text, { bytes: Infinity, isOwn: true }) as unknown as {
    task: { endedAt: number | null; plan: { createdAt: number } };
  };
  return task.endedAt ?? task.plan.createdAt;
}
