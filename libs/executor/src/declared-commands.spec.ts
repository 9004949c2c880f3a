import { expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { IsInt } from 'class-validator';
import { Command } from './command.decorator.js';
import { declaredCommands } from './declared-commands.js';
import { Executor } from './executor.decorator.js';

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
