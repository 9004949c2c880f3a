import type { JsonObject, JsonValue } from '#core';
import { nameOf } from '../names.js';
import { below, memberOf, type Placed, type Target, textIn } from '../source.js';
import { coded, type Data, members } from './data.js';

/** The command or flow that a task state calls. */
export interface Call {
  readonly kind: 'command' | 'flow';
  readonly module: string;
  /** The command, or the flow. */
  readonly name: string;
  /** Its arguments, still as a template; undefined: the document. */
  readonly parameters: Placed | undefined;
  /** The result of the state, given the expression for the output of the step. */
  readonly result: (output: string) => Data;
  /** Whether it is ended from outside, by a token. */
  readonly isToken: boolean;
}

const plain = (output: string): Data => coded(output);

/** The result of `arn:aws:states:::http:invoke`. */
const httpResult = (output: string): Data =>
  members([
    ['ResponseBody', coded(`${output}.body`)],
    ['StatusCode', coded(`${output}.status`)],
    ['Headers', coded(`${output}.headers`)],
  ]);

const lambdaResult = (output: string): Data => members([['Payload', coded(output)]]);

const executionResult = (output: string): Data => members([['Output', coded(`${output}.output`)]]);

/**
 * The call that a resource stands for. A Lambda function is a command of its name in the module of
 * the import. A service of AWS is a module, and its actions are commands. An execution of another
 * machine is a flow.
 */
export function readResource(resource: string, given: Placed, target: Target): Call {
  const { base, isToken } = tokenOf(resource);
  const of = (call: Partial<Call> & Pick<Call, 'name'>): Call => {
    const whole = given.value === undefined ? undefined : given;
    const common = { kind: 'command' as const, module: target.module, parameters: whole };
    return { ...common, result: plain, isToken, ...call };
  };
  const service = /^arn:[\w-]+:states:::(?:aws-sdk:)?([\w-]+):(\w+)/.exec(base);
  if (service === null) return of({ name: nameOf(functionName(base), 'task') });
  const [, name = '', action = ''] = service;
  if (name === 'lambda' && action === 'invoke') {
    const fn = textIn(given.value, 'FunctionName') ?? 'task';
    const parameters = inner(given, 'Payload');
    return of({ name: nameOf(functionName(fn), 'task'), parameters, result: lambdaResult });
  }
  if (name === 'states' && action === 'startExecution' && resource.includes('.sync')) {
    const machine = textIn(given.value, 'StateMachineArn') ?? 'flow';
    const parameters = inner(given, 'Input');
    const flow = nameOf(functionName(machine), 'flow');
    return of({ kind: 'flow', name: flow, parameters, result: executionResult });
  }
  if (name === 'http' && action === 'invoke') {
    const parameters = { value: httpParameters(given.value), pointer: given.pointer };
    return of({ module: 'http', name: 'request', parameters, result: httpResult });
  }
  return of({ module: nameOf(name, 'aws'), name: nameOf(action, 'call') });
}

function tokenOf(resource: string): { base: string; isToken: boolean } {
  const isToken = resource.endsWith('.waitForTaskToken');
  return { base: resource.replace(/\.(waitForTaskToken|sync(:\d)?)$/, ''), isToken };
}

/** `arn:aws:lambda:eu-1:1:function:pay:3` is `pay`. */
function functionName(arn: string): string {
  const known = /:(?:function|activity|stateMachine):([^:]+)/.exec(arn)?.[1];
  return known ?? arn.split(':').at(-1) ?? arn;
}

/** A member of the arguments, with a path or without. */
function inner({ pointer, value }: Placed, name: string): Placed | undefined {
  const path = memberOf(value, `${name}.$`);
  const whole = path === '$' || path === undefined;
  if (!whole) return { value: { 'input.$': path }, pointer };
  const found = memberOf(value, name);
  if (found === '{% $states.input %}') return undefined;
  return found === undefined ? undefined : { value: found, pointer: below(pointer, name) };
}

const HTTP_MEMBERS: readonly (readonly [theirs: string, ours: string])[] = [
  ['ApiEndpoint', 'url'],
  ['Method', 'method'],
  ['Headers', 'headers'],
  ['RequestBody', 'body'],
];

function httpParameters(value: JsonValue | undefined): JsonObject {
  const found: Record<string, JsonValue> = {};
  for (const [theirs, ours] of HTTP_MEMBERS) {
    const fixed = memberOf(value, theirs);
    const path = memberOf(value, `${theirs}.$`);
    if (fixed !== undefined) found[ours] = fixed;
    else if (path !== undefined) found[`${ours}.$`] = path;
  }
  return found;
}
