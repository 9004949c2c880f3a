import { Inject } from '@nestjs/common';
import {
  Command,
  type CommandContext,
  type CompleteLater,
  completeLater,
  Executor,
} from '#executor';
import type { CompletionLog } from './completion-log.js';
import { LaterParameters } from './lab.parameters.js';
import { COMPLETION_LOG } from './lab.tokens.js';

/** A command whose work is done outside. */
@Executor('lab')
export class LaterExecutor {
  constructor(@Inject(COMPLETION_LOG) private readonly log: CompletionLog) {}

  /** Leaves its end to a caller that reads its token at `GET /modules/lab/completions`. */
  @Command('later')
  async later({ timeout }: LaterParameters, context: CommandContext): Promise<CompleteLater> {
    await this.log.keep(context);
    return completeLater({ timeout });
  }
}
