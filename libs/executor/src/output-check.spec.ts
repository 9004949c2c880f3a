import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import type { Outcome } from '#core';
import { commandContext, ManualClock, settle } from '#testing';
import {
  Command,
  type CommandResult,
  createExecutorApp,
  declaredCommands,
  Executor,
  ExecutorServer,
  lookAgain,
} from './index.js';

class Disk {
  @IsInt()
  @Min(1)
  sizeGb!: number;
}

class Machine {
  @IsString()
  id!: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => Disk)
  disk?: Disk;

  @IsOptional()
  @ValidateNested()
  @Type(() => Object, {
    discriminator: { property: 'kind', subTypes: [{ name: 'disk', value: Disk }] },
  })
  part?: object;

  @IsOptional()
  @IsObject()
  labels?: object;

  @IsOptional()
  @Length(8, 64, { message: '$value is too short' })
  password?: string;
}

class Hanging {
  @ValidateBy({ name: 'hangs', validator: { validate: () => new Promise(() => {}) } })
  id!: string;
}

class Bare {}

@Executor('vm')
class VmExecutor {
  @Command('make', { output: Machine, secrets: ['password'] })
  make(bag: Record<string, unknown>): CommandResult {
    return bag['gives'] === 'again' ? lookAgain('1s') : (bag['gives'] as CommandResult);
  }

  @Command('hang', { output: Hanging })
  hang(): object {
    return { id: 'a' };
  }

  @Command('bare', { output: Bare })
  bare(bag: Record<string, unknown>): object {
    return bag;
  }
}

@Module({ controllers: [VmExecutor] })
class VmModule {}

async function served(): Promise<{ readonly server: ExecutorServer; readonly clock: ManualClock }> {
  const clock = new ManualClock();
  const server = new ExecutorServer({ clock });
  await (await createExecutorApp(VmModule, server)).init();
  return { server, clock };
}

async function give(gives: unknown, direction: 'normal' | 'rollback' = 'normal'): Promise<Outcome> {
  const { server } = await served();
  const context = commandContext({ direction, parameters: { gives } as never });
  return server.find('vm', 'make')!.run(context);
}

describe('an output that its command declares by a class', () => {
  it.each([
    { id: 'a' },
    { id: 'a', disk: { sizeGb: 3 }, password: 'my-password' },
    { id: 'a', part: { kind: 'disk', sizeGb: 3 } },
    { id: 'a', labels: { constructor: 'Acme' } },
  ])('is kept as it was given: %j', async (output) => {
    const given = structuredClone(output);
    expect(await give(output)).toEqual({ kind: 'succeeded', output: given });
  });

  it.each([
    [{ id: 7 }, '/id must be a string'],
    [{ id: 'a', disk: { sizeGb: 0 } }, '/disk/sizeGb must not be less than 1'],
    [{ id: 'a', host: 'b' }, '/host'],
    [null, '/id must be a string'],
  ])('fails the step for good if it does not fit: %j', async (output, words) => {
    expect(await give(output)).toMatchObject({
      kind: 'failed',
      terminal: true,
      error: 'INVALID_OUTPUT',
      message: expect.stringContaining(words),
    });
  });

  it('tells nothing of a secret that does not fit', async () => {
    const outcome = await give({ id: 'a', password: 'short' });
    expect(outcome).toMatchObject({ message: expect.stringContaining('/password is secret') });
    expect(JSON.stringify(outcome)).not.toContain('short');
  });

  it('is not checked where there is none yet, and not of a rollback', async () => {
    expect(await give('again')).toMatchObject({ kind: 'not_finished' });
    expect(await give({ id: 7 }, 'rollback')).toMatchObject({ kind: 'succeeded' });
  });

  it('ends with the time of its attempt, though a rule hangs', async () => {
    const { clock, server } = await served();
    const running = server.find('vm', 'hang')!.run(commandContext({ timeLeft: () => 1_000 }));
    await settle();
    await clock.advance(1_000);
    expect(await running).toMatchObject({ kind: 'timed_out' });
  });

  it('is any where the class has no rules', async () => {
    const { server } = await served();
    const context = commandContext({ parameters: { a: 1 } });
    expect(await server.find('vm', 'bare')!.run(context)).toMatchObject({ output: { a: 1 } });
    expect(server.outputOf('vm', 'bare')).toBeNull();
  });

  it('has a schema that is closed, for checks of flows', async () => {
    const { server } = await served();
    const schema = server.outputOf('vm', 'make');
    expect(schema).toMatchObject({ required: ['id'], additionalProperties: false });
    expect(Object.keys(schema?.['properties'] ?? {}).sort()).toEqual([
      'disk',
      'id',
      'labels',
      'part',
      'password',
    ]);
    expect(declaredCommands([VmModule]).outputOf('vm', 'make')).toEqual(schema);
  });

  it('is declared by a class and nothing else', () => {
    expect(() => Command('make', { output: Object as never })).toThrow('must be a class');
  });
});
