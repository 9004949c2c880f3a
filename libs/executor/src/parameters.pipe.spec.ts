import { describe, expect, it } from '@jest/globals';
import { BadRequestException, Logger, Module } from '@nestjs/common';
import { Expose, Transform, Type } from 'class-transformer';
import { IsIn, IsInt, IsObject, IsOptional, IsString, Min, ValidateNested } from 'class-validator';
import type { Direction, JsonObject, Outcome } from '#core';
import { commandContext, ManualClock } from '#testing';
import {
  Command,
  type CommandContext,
  createExecutorApp,
  Executor,
  ExecutorServer,
} from './index.js';

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

/** A place of one of several kinds, which a member names. */
class Place {}

class Rack extends Place {
  @IsInt()
  slot!: number;
}

class BodyParameters {
  @IsOptional()
  @IsObject()
  body?: object;

  @IsOptional()
  @ValidateNested()
  @Type(() => Place, {
    discriminator: { property: 'kind', subTypes: [{ name: 'rack', value: Rack }] },
  })
  place?: Place;
}

let entered = 0;

@Executor('m')
class TrialExecutor {
  @Command('undo')
  undo(parameters: UndoParameters): object {
    entered += 1;
    return { parameters };
  }

  @Command('send')
  send({ body, place }: BodyParameters, { parameters }: CommandContext): object {
    return { body, isRack: place instanceof Rack, parameters };
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

describe.each(['normal', 'rollback'] as const)('the parameters of a %s action', (direction) => {
  it('keep a value that the class does not describe as it is, whatever its members are called', async () => {
    const body = { constructor: 'Acme', list: [{ constructor: { toString: 'x' } }] };
    const outcome = await run({ body }, { command: 'send', direction });
    expect(outcome).toMatchObject({ kind: 'succeeded', output: { body } });
  });

  it('are read by the kind that a member names, and stay as they were', async () => {
    const parameters = { place: { kind: 'rack', slot: 1 } };
    const outcome = await run(parameters, { command: 'send', direction });
    const output = { isRack: true, parameters: { place: { kind: 'rack', slot: 1 } } };
    expect(outcome).toMatchObject({ kind: 'succeeded', output });
  });
});
