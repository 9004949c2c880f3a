import { Readable } from 'node:stream';
import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { packTar } from '#archive';
import { Problem } from '#http-server';
import { clientGone, RequestWork } from '../access/request-work.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { ARCHIVE_ROUTES } from './archive.routes.js';
import { type Asked, Handles } from '../requests/asked.js';

/** Copies the store of a standalone process while it works. */
@Controller()
export class BackupController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: Pick<OssOptions, 'backup'>,
    private readonly work: RequestWork,
  ) {}

  /** The store and all that belongs to it, of one moment, as a tar file. */
  @Handles(ARCHIVE_ROUTES.takeBackup)
  async take(
    { request }: Asked<typeof ARCHIVE_ROUTES.takeBackup>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { backup } = this.options;
    if (backup === null) throw new Problem('NO_BACKUP', OF_SERVER);
    const begun = await this.work.begin(request, 'backup');
    const copy = await backup.take().catch((error: unknown) => {
      begun.leave();
      throw error;
    });
    const body = Readable.from(packTar(copy.folder), { objectMode: false });
    // However it ends: the copy goes, and the next backup may begin.
    body.once('close', () => void copy.drop().finally(() => begun.leave()));
    if (begun.signal.aborted) {
      body.destroy();
      throw clientGone();
    }
    reply.header('content-type', 'application/octet-stream');
    reply.header('content-disposition', 'attachment; filename="backstep.tar"');
    reply.send(body);
  }
}

const OF_SERVER =
  'The store is MongoDB: take a backup with its own tools, such as mongodump --oplog.';
