import { describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { Expose, Transform, Type } from 'class-transformer';
import {
  Allow,
  ArrayMaxSize,
  IsArray,
  IsEnum,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { array, assert, asyncProperty, constantFrom, jsonValue, oneof, record } from 'fast-check';
import { Command } from './command.decorator.js';
import { Executor } from './executor.decorator.js';
import { ParametersPipe } from './parameters.pipe.js';
import { declaredCommands, schemaOfParameters } from './parameters-schema.js';

enum Size {
  small = 'S',
  large = 'L',
}

class Disk {
  @IsInt()
  @Min(1)
  readonly gib!: number;

  @IsOptional()
  @IsString()
  readonly kind?: string | null;
}

class Base {
  @IsString()
  @IsNotEmpty()
  readonly name!: string;
}

class Machine extends Base {
  @IsNumber()
  @IsInt()
  @Min(1)
  @Max(64)
  readonly cpu!: number;

  @IsOptional()
  @IsIn(['a', 'b', 3])
  readonly zone?: string | number | null;

  @IsEnum(Size)
  readonly size: Size = Size.small;

  @IsArray()
  @ArrayMaxSize(3)
  @Length(1, 5, { each: true })
  readonly tags!: readonly string[];

  @ValidateNested()
  @Type(() => Disk)
  readonly disks!: readonly Disk[];

  @ValidateIf((machine: Machine) => machine.cpu > 8)
  @IsString()
  readonly reason?: string;

  @Transform(({ value }) => Number(value))
  @IsInt()
  readonly memory!: number;

  @Expose({ name: 'host' })
  @IsString()
  readonly place!: string;

  @ValidateBy({ name: 'isOwn', validator: { validate: () => true } })
  readonly own!: unknown;

  @IsInt({ groups: ['other'] })
  readonly grouped!: unknown;

  @Allow()
  readonly anything!: unknown;
}

class Nothing {
  readonly a!: string;
}

/** Several classes, so that one rule is met without what the others refuse. */
class Plain extends Base {
  @IsInt()
  @Min(1)
  readonly cpu!: number;

  @IsOptional()
  @IsIn(['a', 3])
  readonly zone?: unknown;

  @IsArray()
  @IsString({ each: true })
  readonly tags!: unknown;

  @ValidateNested()
  @Type(() => Disk)
  readonly disks!: unknown;
}

describe('the schema of a class of parameters', () => {
  it('says what its rules say, and no more', () => {
    expect(schemaOfParameters(Machine)).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1 },
        cpu: { type: 'integer', minimum: 1, maximum: 64 },
        zone: { enum: ['a', 'b', 3, null] },
        size: { enum: ['S', 'L'] },
        tags: { type: 'array', maxItems: 3, items: { type: 'string', minLength: 1, maxLength: 5 } },
        disks: { ...disk(), type: ['object', 'array', 'null'], items: diskOrList() },
        reason: {},
        own: {},
        grouped: {},
        anything: {},
      },
      required: expect.arrayContaining(['name', 'cpu', 'tags']),
    });
    expect(schemaOfParameters(Machine)?.['required']).toHaveLength(3);
  });

  it('is not there where the class has no rules', () => {
    expect(schemaOfParameters(Nothing)).toBeNull();
  });

  it('refuses nothing that the class takes', async () => {
    const pipe = new ParametersPipe(Plain);
    const matches = new Ajv2020({ strict: false }).compile(schemaOfParameters(Plain)!);
    const value = oneof(
      constantFrom('a', 'b', '', 3, 1, 0, 1.5, null, undefined, true, [], {}, ['a'], [1], [[]]),
      record({ gib: constantFrom(1, 0, '1', null), kind: constantFrom('a', null, 1) }),
      array(record({ gib: constantFrom(1, 2, 'a') }), { maxLength: 2 }),
      jsonValue({ maxDepth: 2 }),
    );
    const good = { name: 'a', cpu: 2, tags: ['a'], disks: [{ gib: 1 }] };
    const member = constantFrom('name', 'cpu', 'zone', 'tags', 'disks');
    let [taken, refused] = [0, 0];
    const property = asyncProperty(member, value, async (name, changed) => {
      const bag = JSON.parse(JSON.stringify({ ...good, [name]: changed })) as object;
      const isTaken = await Promise.resolve(pipe.transform(bag)).then(
        () => true,
        () => false,
      );
      if (isTaken) expect(matches(bag)).toBe(true);
      taken += Number(isTaken);
      refused += Number(!matches(bag));
    });
    await assert(property, { numRuns: 2_000 });
    expect(Math.min(taken, refused)).toBeGreaterThan(50);
  });
});

function disk() {
  return {
    type: 'object',
    properties: { gib: { type: 'integer', minimum: 1 }, kind: { type: ['string', 'null'] } },
    required: ['gib'],
  };
}

function diskOrList() {
  return { ...disk(), type: ['object', 'array'] };
}

describe('declared commands', () => {
  class Size {
    @IsInt()
    cpu!: number;
  }

  @Executor('shop')
  class ShopExecutor {
    @Command('make')
    make(_parameters: Size): void {}

    @Command('look')
    look(): void {}
  }

  @Executor('shop')
  class OtherShop {
    @Command('make')
    make(): void {}

    @Command('pack')
    pack(): void {}
  }

  @Module({ controllers: [ShopExecutor] })
  class ShopModule {}

  @Module({ imports: [ShopModule] })
  class OuterModule {}

  it.each([
    ['an executor', ShopExecutor],
    ['a module', ShopModule],
    ['a module that imports it', OuterModule],
    ['a dynamic module', { module: class Dynamic {}, controllers: [ShopExecutor] }],
    ['a dynamic module that imports it', { module: class Dynamic {}, imports: [OuterModule] }],
  ])('the commands of %s are those of its decorators', (_what, declaring) => {
    const declared = declaredCommands([declaring]);
    expect(declared.modules()).toEqual(['shop']);
    expect(declared.commands('shop')).toEqual(['make', 'look']);
    expect(declared.parametersOf('shop', 'make')).toMatchObject({ required: ['cpu'] });
    expect(declared.parametersOf('shop', 'look')).toBeNull();
    expect(declared.parametersOf('none', 'look')).toBeNull();
  });

  it('the first declaration of a command counts', () => {
    const declared = declaredCommands([OtherShop, ShopModule]);
    expect(declared.commands('shop')).toEqual(['make', 'pack', 'look']);
    expect(declared.parametersOf('shop', 'make')).toBeNull();
  });
});
