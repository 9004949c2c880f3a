import { describe, expect, it } from '@jest/globals';
import { Injectable, Logger, Module } from '@nestjs/common';
import type { TaskMarks } from '#ports';
import { commandContext, ManualClock } from '#testing';
import {
  Command,
  createExecutorApp,
  Executor,
  ExecutorServer,
  KeepsMarks,
  ReportsResidue,
  type Residue,
} from './index.js';

Logger.overrideLogger(false);

@Injectable()
class Shelf {
  readonly held: readonly Residue[] = [{ what: 'a box', run: 'put' }];
}

abstract class Reporting {
  abstract readonly shelf: Shelf;

  @ReportsResidue()
  residue(taskId: string): readonly Residue[] {
    return taskId === 'task-1' ? this.shelf.held : [];
  }
}

@Executor('shelf')
class ShelfExecutor extends Reporting {
  constructor(readonly shelf: Shelf) {
    super();
  }

  @Command('put')
  put(): void {}
}

const MARKS: TaskMarks = { forget: async () => 0, async *oldTasks() {} };

@Executor('shelf')
class SlowExecutor {
  @KeepsMarks()
  marks(): readonly TaskMarks[] {
    return [MARKS];
  }

  @ReportsResidue()
  async whatIsLeft(): Promise<readonly Residue[]> {
    return Promise.resolve([{ what: 'a key' }]);
  }

  @Command('lock')
  lock(): void {}
}

@Module({ controllers: [ShelfExecutor, SlowExecutor], providers: [Shelf] })
class ShelfModule {}

async function serve(): Promise<ExecutorServer> {
  const server = new ExecutorServer({ clock: new ManualClock() });
  const app = await createExecutorApp(ShelfModule, server);
  await app.init();
  return server;
}

describe('an executor that says what it holds', () => {
  it('is asked for a task, with what it was injected, inherited methods included', async () => {
    const server = await serve();
    expect(await server.residueOf('task-1')).toEqual([
      { what: 'a box', run: 'put', module: 'shelf' },
      { what: 'a key', module: 'shelf' },
    ]);
    expect(await server.residueOf('task-2')).toEqual([{ what: 'a key', module: 'shelf' }]);
  });

  it('has no command for it', async () => {
    const server = await serve();
    expect(server.modules()).toEqual(['shelf']);
    expect(server.commands('shelf')).toEqual(['put', 'lock']);
  });
});

describe('an executor that keeps marks', () => {
  it('is asked where', async () => {
    const server = await serve();
    expect(server.keepsMarks).toBe(true);
    const marks = await server.marks();
    expect(marks).toHaveLength(1);
    expect(marks[0]).toBe(MARKS);
  });
});

describe('a fault', () => {
  it('stands in for the command, which runs only where it is called', async () => {
    const server = await serve();
    const outcomes: unknown[] = [];
    server.useFaults(({ attempt }) => {
      if (attempt === 3) return undefined;
      return async (command) => {
        if (attempt === 2) outcomes.push(await command());
        return { kind: 'handed_back', message: `attempt ${attempt}` };
      };
    });
    const put = server.find('shelf', 'put')!;
    const tell = (attempt: number) => put.run(commandContext({ attempt }));
    expect(await tell(1)).toEqual({ kind: 'handed_back', message: 'attempt 1' });
    expect(outcomes).toEqual([]);
    expect(await tell(2)).toEqual({ kind: 'handed_back', message: 'attempt 2' });
    expect(outcomes).toEqual([{ kind: 'succeeded', output: null }]);
    expect(await tell(3)).toEqual({ kind: 'succeeded', output: null });
  });
});
