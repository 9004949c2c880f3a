import { Controller, Get, Inject, Query } from '@nestjs/common';
import { QueryReader } from '#http-server';
import type { CountedEffect, EffectLog } from './effect-log.js';
import { EFFECT_LOG } from './lab.tokens.js';

const LIMIT = 1_000;

/** Effects of the practice commands, with how often each really happened. */
@Controller('modules/lab')
export class EffectsController {
  constructor(@Inject(EFFECT_LOG) private readonly log: EffectLog) {}

  @Get('effects')
  effects(@Query() query: unknown): { items: readonly CountedEffect[] } {
    const reader = new QueryReader(query).expectOnly(['taskId']);
    const taskId = reader.text('taskId');
    reader.finish();
    return { items: this.log.list(LIMIT, taskId) };
  }
}
