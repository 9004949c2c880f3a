import { Readable } from 'node:stream';
import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { packTar } from '#archive';
import { FINAL_STATUSES, type TaskStatus } from '#core';
import { archivedTask } from '#core/stored';
import { Problem } from '#http-server';
import { isUnreadable, type TaskFilter } from '#ports';
import { clientGone, RequestWork } from '../access/request-work.js';
import { type CommonParts, OSS_OPTIONS, type OssOptions } from '../options.js';
import { TaskSearches } from '../tasks/task-searches.js';
import { PutBack, type PutBackReport } from './put-back.js';
import { ARCHIVE_ROUTES } from './archive.routes.js';
import { type Asked, Handles } from '../requests/asked.js';
import type { Shown } from '../requests/shown.js';

/** Characters after which a page ends, though it has fewer lines than were asked for. */
const PAGE_CHARACTERS = 2 * 1_048_576;

/** One page of lines of an archive. */
type ArchivePage = Shown<'ArchivePage'>;

const OF_SERVER =
  'The store is MongoDB: take a backup with its own tools, such as mongodump --oplog.';

/** Gives final tasks as archives have them, and takes them from there. */
@Controller()
export class ArchiveController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: CommonParts,
    private readonly searches: TaskSearches,
    private readonly putBack: PutBack,
    private readonly work: RequestWork,
  ) {}

  /** One page of final tasks, newest first, each as the line that it is in an archive. */
  @Handles(ARCHIVE_ROUTES.exportTasks)
  async list(
    { principal, query: { query, search }, request }: Asked<typeof ARCHIVE_ROUTES.exportTasks>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const narrowed = await this.searches.narrow(query, search, { principal, withAlerts: true });
    const statuses = finalAmong(narrowed?.query.statuses);
    const isNone = narrowed === null || statuses.length === 0;
    const page = isNone
      ? NOTHING
      : await this.work.run(request, 'export', (signal) => {
          return this.read({ ...narrowed.query, statuses }, query.limit, signal);
        });
    reply.send(page);
  }

  /** Puts final tasks back; every line has an answer of its own. */
  @Handles(ARCHIVE_ROUTES.importTasks)
  async put({
    body,
    request,
  }: Asked<typeof ARCHIVE_ROUTES.importTasks>): Promise<{ results: readonly PutBackReport[] }> {
    const { lines } = body;
    const results = await this.work.run(request, 'export', (signal) => {
      return this.putBack.takeAll(lines, signal);
    });
    return { results };
  }

  private async read(filter: TaskFilter, limit: number, signal: AbortSignal): Promise<ArchivePage> {
    const items: string[] = [];
    let characters = 0;
    let looked = 0;
    for await (const { cursor, item } of this.options.store.walk(filter)) {
      looked += 1;
      // One that waits to have its failure flow started is not at rest, and cannot be put back.
      if (!isUnreadable(item) && item.wakeAt === null) {
        const line = JSON.stringify(archivedTask(item));
        characters += line.length;
        items.push(line);
      }
      if (looked >= limit || characters >= PAGE_CHARACTERS || signal.aborted) {
        return { items, page: { nextCursor: cursor } };
      }
    }
    return { items, page: { nextCursor: null } };
  }
}

const NOTHING: ArchivePage = { items: [], page: { nextCursor: null } };

function finalAmong(statuses: readonly TaskStatus[] | undefined): readonly TaskStatus[] {
  if (statuses === undefined) return FINAL_STATUSES;
  return FINAL_STATUSES.filter((status) => statuses.includes(status));
}

/** Copies the store of a standalone process while it works. */
@Controller()
export class BackupController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: Pick<OssOptions, 'backup' | 'observer'>,
    private readonly work: RequestWork,
  ) {}

  /** The store and all that belongs to it, of one moment, as a tar file. */
  @Handles(ARCHIVE_ROUTES.takeBackup)
  async take(
    { request }: Asked<typeof ARCHIVE_ROUTES.takeBackup>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { backup, observer } = this.options;
    if (backup === null) throw new Problem('NO_BACKUP', OF_SERVER);
    const begun = await this.work.begin(request, 'backup');
    const copy = await backup.take().catch((error: unknown) => {
      begun.leave();
      throw error;
    });
    const body = Readable.from(packTar(copy.folder), { objectMode: false });
    const message = `the copy for a backup cannot be removed from ${copy.folder}`;
    const tell = (error: unknown): void =>
      observer.noticed({ level: 'warn', name: 'backup_copy_left', message, error });
    // However it ends: the copy goes, and the next backup may begin.
    body.once('close', () => void copy.drop().catch(tell).finally(begun.leave));
    if (begun.signal.aborted) {
      body.destroy();
      throw clientGone();
    }
    reply.header('content-type', 'application/octet-stream');
    reply.header('content-disposition', 'attachment; filename="backstep.tar"');
    reply.send(body);
  }
}
