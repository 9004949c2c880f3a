import { Inject } from '@nestjs/common';
import {
  Command,
  type CommandContext,
  Executor,
  KeepsMarks,
  type LookAgain,
  lookAgain,
  ReportsResidue,
  type Residue,
} from '#executor';
import type { TaskMarks } from '#ports';
import type { EffectLog } from './effect-log.js';
import { AgainParameters, EffectParameters } from './lab.parameters.js';
import { EFFECT_LOG } from './lab.tokens.js';

/** Most effects of one task that are looked at. */
const EFFECTS_MAX = 10_000;

/** Commands that leave something behind. */
@Executor('lab')
export class EffectExecutor {
  constructor(@Inject(EFFECT_LOG) private readonly effects: EffectLog) {}

  @Command('effect')
  async effect({ name }: EffectParameters, context: CommandContext): Promise<void> {
    if (context.direction === 'rollback') await this.effects.undo(context);
    else await this.effects.apply(context, name);
  }

  @Command('undo_effect')
  async undoEffect({ name }: EffectParameters, context: CommandContext): Promise<void> {
    if (context.direction === 'rollback') await this.effects.undo(context);
    else await this.effects.countUndone(context, name);
  }

  /** Where this module keeps marks of its effects. */
  @KeepsMarks()
  marks(): readonly TaskMarks[] {
    return [this.effects.marks];
  }

  /** Effects of a task that were not undone. */
  @ReportsResidue()
  residue(taskId: string): readonly Residue[] {
    const standing = this.effects
      .list(EFFECTS_MAX, taskId)
      .filter(({ applied, undone }) => applied > undone);
    return standing.map(({ id, name }) => ({ what: `the effect ${name}`, run: id }));
  }

  /** Asks to be looked at again the first `times` times it is called. */
  @Command('again')
  async again(
    { delay, times }: AgainParameters,
    { idempotencyKey }: CommandContext,
  ): Promise<LookAgain | void> {
    const look = await this.effects.look(idempotencyKey);
    return look <= times ? lookAgain(delay) : undefined;
  }
}
