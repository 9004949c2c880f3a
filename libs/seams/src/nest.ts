import { RpcContextCreator } from '@nestjs/microservices/context/rpc-context-creator.js';
import { RpcParamtype } from '@nestjs/microservices/enums/rpc-paramtype.enum.js';

type CreatePipes = RpcContextCreator['createPipesFn'];
type Asked = Parameters<CreatePipes>;

/** Decorated parameters that are a message's own: the parameters and the context. */
const OWN: ReadonlySet<unknown> = new Set([RpcParamtype.PAYLOAD, RpcParamtype.CONTEXT]);

const DONE: Promise<void> = Promise.resolve();

let isUsed = false;

/**
 * Has Nest hand a command its parameters and its context as they are where no pipe looks at them.
 * Otherwise Nest makes promises of its own for each of the two. Where there is a pipe, global or
 * not, Nest does what it always does. Safe to call twice. Nest's types have `createPipesFn`, its
 * documentation does not: if a later version drops it, remove this file. Calling a command without
 * Nest would save more, but filters, guards and hooks of the application had to be imitated.
 */
export function usePlainArguments(): void {
  if (isUsed) return;
  isUsed = true;
  const { prototype } = RpcContextCreator;
  // oxlint-disable-next-line typescript/unbound-method -- It is applied to each creator below.
  const { createPipesFn } = prototype;
  prototype.createPipesFn = function (this: RpcContextCreator, ...asked: Asked) {
    return isPlain(asked) ? taking(asked) : createPipesFn.apply(this, asked);
  };
}

function isPlain([pipes, members]: Asked): boolean {
  if (pipes.length > 0 || members.length === 0) return false;
  return members.every(({ pipes: own, type }) => own.length === 0 && OWN.has(type));
}

function taking([, members]: Asked): ReturnType<CreatePipes> {
  return (args, ...given) => {
    for (const { extractValue, index } of members) args[index] = extractValue(...given);
    return DONE;
  };
}
