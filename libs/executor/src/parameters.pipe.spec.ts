import { describe, expect, it } from '@jest/globals';
import { BadRequestException, Logger, Module } from '@nestjs/common';
import { Expose, Transform, Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import type { Direction, JsonObject, Outcome } from '#core';
import { commandContext, ManualClock } from '#testing';
import { Command, createExecutorApp, Executor, ExecutorServer } from './index.js';

Logger.overrideLogger(false);

class Disk {
  @IsInt()
  @Min(1)
  sizeGb!: number;
}

class UndoParameters {
  @IsString()
  name!: string;

  @IsOptional()
  @IsIn(['info', 'critical'])
  severity?: string | null;

  @IsOptional()
  @IsInt()
  tries?: number = 3;

  @Expose({ name: 'db_engine' })
  @IsOptional()
  @IsString()
  engine?: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => Disk)
  disk?: Disk;

  @Transform(({ value }) => (value === undefined ? undefined : (value as string).toUpperCase()))
  @IsOptional()
  @IsString()
  zone?: string;
}

let entered = 0;

@Executor('m')
class TrialExecutor {
  @Command('undo')
  undo(parameters: UndoParameters): object {
    entered += 1;
    return { parameters };
  }

  @Command('refuse_inside')
  refuseInside(): never {
    entered += 1;
    throw new BadRequestException('that is no name');
  }
}

async function run(
  parameters: JsonObject,
  { command = 'undo', direction }: { command?: string; direction: Direction },
): Promise<Outcome> {
  @Module({ controllers: [TrialExecutor] })
  class App {}
  const server = new ExecutorServer({ clock: new ManualClock() });
  const app = await createExecutorApp(App, server);
  await app.init();
  entered = 0;
  const outcome = await server.find('m', command)?.run(commandContext({ parameters, direction }));
  return outcome as Outcome;
}

const WRONG = { severity: 'zzz', tries: 'x', db_engine: 5, disk: { sizeGb: 0 }, zone: 7 };

describe('parameters that do not fit', () => {
  it('refuse an attempt before its command is entered, and it is known to have no effect', async () => {
    const outcome = await run({ name: 'a', severity: 'zzz' }, { direction: 'normal' });
    expect(outcome).toMatchObject({ failure: 'INVALID_PARAMETERS', terminal: true, refused: true });
    expect(entered).toBe(0);
  });

  it('refuse it also where a transformation of the class breaks on them', async () => {
    const outcome = await run({ name: 'a', zone: 7 }, { direction: 'normal' });
    expect(outcome).toMatchObject({ failure: 'INVALID_PARAMETERS', terminal: true, refused: true });
    expect(entered).toBe(0);
  });

  it('that the command itself refuses may have had an effect', async () => {
    const outcome = await run({}, { command: 'refuse_inside', direction: 'normal' });
    expect(outcome).toMatchObject({ failure: 'INVALID_PARAMETERS', terminal: true });
    expect(outcome).not.toHaveProperty('refused');
    expect(entered).toBe(1);
  });
});

describe('the parameters of a rollback', () => {
  it('are without the members that do not fit and are not needed', async () => {
    const outcome = await run({ name: 'a', ...WRONG }, { direction: 'rollback' });
    const parameters = { name: 'a', tries: 3 };
    expect(outcome).toEqual({ kind: 'succeeded', output: { parameters } });
  });

  it('are whole where all of them fit', async () => {
    const right = { severity: 'info', tries: 1, disk: { sizeGb: 4 } };
    const given = { ...right, name: 'a', db_engine: 'x', zone: 'eu', other: 1 };
    const outcome = await run(given, { direction: 'rollback' });
    const parameters = { ...right, name: 'a', engine: 'x', zone: 'EU' };
    expect(outcome).toEqual({ kind: 'succeeded', output: { parameters } });
  });

  it.each([[{ name: 5, ...WRONG }], [{ ...WRONG }]])(
    'are refused where a needed one lacks or does not fit: %j',
    async (parameters) => {
      const outcome = await run(parameters, { direction: 'rollback' });
      expect(outcome).toMatchObject({ terminal: true, refused: true });
      expect((outcome as { message: string }).message).toBe('name must be a string');
      expect(entered).toBe(0);
    },
  );
});
