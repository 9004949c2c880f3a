import { Readable } from 'node:stream';
import { Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { packTar } from '#archive';
import { expectNoParameters, Problem } from '#http-server';
import { clientGone, RequestWork } from '../access/request-work.js';
import { OSS_OPTIONS, type OssOptions } from '../options.js';
import { actorOf } from '../requests/headers.js';

/** Copies the store of a standalone process while it works. */
@Controller('v1/backup')
export class BackupController {
  constructor(
    @Inject(OSS_OPTIONS) private readonly options: Pick<OssOptions, 'backup'>,
    private readonly work: RequestWork,
  ) {}

  /** The store and all that belongs to it, of one moment, as a tar file. */
  @Post()
  @HttpCode(200)
  async take(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    expectNoParameters(request.query);
    // The audit log says who asked: a name that it could not take is refused.
    actorOf(request);
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
