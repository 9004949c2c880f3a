import { Module } from '@nestjs/common';
import { Command, type CommandContext, Executor, ReportsResidue, type Residue } from '#executor';

/** Puts boxes on a shelf in memory; only one of the two ways to take them away does so. */
@Executor('shelf')
export class ShelfExecutor {
  readonly #boxes = new Map<string, string>();

  @Command('put_box')
  putBox(_parameters: object, { run, taskId }: CommandContext): void {
    this.#boxes.set(taskId, run);
  }

  @Command('take_box')
  takeBox(_parameters: object, { taskId }: CommandContext): void {
    this.#boxes.delete(taskId);
  }

  @Command('forget_box')
  forgetBox(): void {}

  @ReportsResidue()
  residue(taskId: string): readonly Residue[] {
    const run = this.#boxes.get(taskId);
    return run === undefined ? [] : [{ what: 'a box', run }];
  }
}

@Module({ controllers: [ShelfExecutor] })
class ShelfModule {}

export default ShelfModule;
