import { Controller, Get, Inject, Query } from '@nestjs/common';
import { QueryReader } from '#http-server';
import type { CompletionLog, ExpectedCompletion } from './completion-log.js';
import { COMPLETION_LOG } from './lab.tokens.js';

const LIMIT = 1_000;

/** Tokens that the command `later` was given, for whoever plays the outside. */
@Controller('modules/lab')
export class CompletionsController {
  constructor(@Inject(COMPLETION_LOG) private readonly log: CompletionLog) {}

  @Get('completions')
  completions(@Query() query: unknown): { items: readonly ExpectedCompletion[] } {
    const reader = new QueryReader(query).expectOnly(['taskId']);
    const taskId = reader.text('taskId');
    reader.finish();
    return { items: this.log.list(LIMIT, taskId) };
  }
}
