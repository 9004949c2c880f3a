import { expect, it } from '@jest/globals';
import { RpcContextCreator } from '@nestjs/microservices/context/rpc-context-creator.js';
import { RpcParamtype } from '@nestjs/microservices/enums/rpc-paramtype.enum.js';
import { usePlainArguments } from './nest.js';

const { prototype } = RpcContextCreator;

interface Member {
  readonly index: number;
  readonly type: number;
  readonly pipes: readonly object[];
  readonly extractValue: (...given: unknown[]) => unknown;
}

function member(index: number, type: number, pipes: readonly object[] = []): Member {
  return { index, type, pipes, extractValue: (...given) => given[index] };
}

function fill(members: readonly Member[]): { args: unknown[]; passed: number } {
  const args: unknown[] = [];
  let passed = 0;
  const creator = { getParamValue: (value: unknown) => ((passed += 1), value) };
  void prototype.createPipesFn.apply(creator as never, [[], members] as never)?.(args, 'a', 'b');
  return { args, passed };
}

it('Nest makes the arguments of a message by the method that is replaced', () => {
  // oxlint-disable-next-line typescript/unbound-method -- Only its text is read.
  expect(String(prototype.create)).toContain('this.createPipesFn(');
});

it('arguments that no pipe looks at are handed over as they are', () => {
  usePlainArguments();
  const own = [member(0, RpcParamtype.PAYLOAD), member(1, RpcParamtype.CONTEXT)];
  expect(fill(own)).toEqual({ args: ['a', 'b'], passed: 0 });
  const piped = [member(0, RpcParamtype.PAYLOAD, [{}])];
  expect(fill(piped).passed).toBe(1);
});
