import { IsIn, IsInt, Max, Min } from 'class-validator';
import type { WorkerRegistration } from '#engine';
import { faultsOfOutputSchema } from '#flow-files';
import { invalidRequest } from '#http-server';
import { Described, Fits, isJsonObject, MayBeAbsent } from '../requests/decorators.js';
import { fits, lineForm, pattern } from '../requests/limits.js';
import { RequestReader } from '../requests/request-reader.js';
import { IsLine, isNameForm, namedSchema, WORKER } from './forms.js';
import { WORK_LIMITS } from './work-limits.js';

const SLOTS_MAX = 10_000;
const SLOTS = `\`slots\` is a whole number from 1 to ${SLOTS_MAX}.`;
const STATES = ['active', 'draining'] as const;
/** Secret members of an output, and the form of their names. */
const MEMBERS_MAX = 100;
const MEMBER = lineForm(1, 100);
const MODULES =
  `\`modules\` has 1 to ${WORK_LIMITS.modules} modules, each with its commands by their names: ` +
  'objects that may have `parameters` and `output`, JSON Schemas of what they take and give, and ' +
  '`secrets`, names of members of the output.';

type Modules = WorkerRegistration['modules'];

/** Body of `PUT /v1/workers/{worker}`. */
class WorkerRequest {
  @Described('Commands by their names, by module.')
  @MayBeAbsent()
  @IsModules()
  modules?: Modules;

  @Described('Actions that the worker runs at once.')
  @MayBeAbsent()
  @Max(SLOTS_MAX, { message: SLOTS })
  @Min(1, { message: SLOTS })
  @IsInt({ message: SLOTS })
  slots?: number;

  @Described('The build of its code, kept with its attempts.')
  @MayBeAbsent()
  @IsLine('build')
  build?: string;

  @Described('The machine that it runs on.')
  @MayBeAbsent()
  @IsLine('host')
  host?: string;

  @Described('Name and version of its library.')
  @MayBeAbsent()
  @IsLine('sdk')
  sdk?: string;

  @Described('Instead of all others, and for operators: whether its polls get no items any more.')
  @MayBeAbsent()
  @IsIn(STATES, { message: '`state` is `active` or `draining`.' })
  state?: (typeof STATES)[number];
}

function IsModules(): PropertyDecorator {
  const { commands, modules } = WORK_LIMITS;
  const members = {
    parameters: { type: 'object', description: 'JSON Schema of its parameters.' },
    output: { type: 'object', description: 'JSON Schema that its output must fit.' },
    secrets: { type: 'array', maxItems: MEMBERS_MAX, items: MEMBER },
  };
  const command = { type: 'object', additionalProperties: false, properties: members };
  const schema = namedSchema(1, modules, namedSchema(0, commands, command));
  const validate = (value: unknown): boolean => {
    return isNamed(value, [1, modules], (each) => isNamed(each, [0, commands], isCommand));
  };
  return Fits({ name: 'isModules', schema, validate, message: MODULES });
}

function isNamed(
  value: unknown,
  [least, most]: readonly [number, number],
  isEach: (value: unknown) => boolean,
): boolean {
  if (!isJsonObject(value)) return false;
  const names = Object.keys(value);
  const isBound = names.length >= least && names.length <= most;
  return isBound && names.every((name) => isNameForm(name) && isEach(value[name]));
}

function isCommand(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { output = {}, parameters = {}, secrets = [], ...unknown } = value;
  const isTold = isJsonObject(parameters) && isJsonObject(output) && isMembers(secrets);
  return isTold && Object.keys(unknown).length === 0;
}

function isMembers(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > MEMBERS_MAX) return false;
  return value.every(fits(MEMBER));
}

/** Reads the body of `PUT /v1/workers/{worker}`. */
export const workerReader = new RequestReader(WorkerRequest);

const NAME = pattern(WORKER);

/** An order about a worker: it serves something, or it is to drain. */
type WorkerOrder =
  | { readonly kind: 'register'; readonly registration: WorkerRegistration }
  | { readonly kind: 'drain'; readonly isDraining: boolean };

/** Reads an order. Throws the `Problem` of members that do not go together. */
export function workerOrderOf(worker: string, body: WorkerRequest): WorkerOrder {
  expectWorkerName(worker);
  const { modules, slots, state, ...rest } = body;
  if (state !== undefined) {
    if (Object.keys(body).length === 1) return { kind: 'drain', isDraining: state === 'draining' };
    const message = '`state` stands alone: send it by a request of its own.';
    throw invalidRequest({ pointer: '/state', message });
  }
  if (modules === undefined) throw missing('modules', MODULES);
  if (slots === undefined) throw missing('slots', SLOTS);
  expectUsable(modules);
  return { kind: 'register', registration: { worker, modules, slots, ...rest } };
}

/** Throws the `Problem` of a schema of outputs by which nothing could be checked. */
function expectUsable(modules: Modules): void {
  for (const [module, commands] of Object.entries(modules)) {
    for (const [command, { output }] of Object.entries(commands)) {
      const [fault] = output === undefined ? [] : faultsOfOutputSchema(output);
      if (fault === undefined) continue;
      const { hint, message, pointer } = fault;
      const at = `/modules/${module}/${command}/output${pointer}`;
      throw invalidRequest({ pointer: at, message, ...(hint !== undefined && { hint }) });
    }
  }
}

/** Throws the `Problem` that the name in an address is none of a worker. */
export function expectWorkerName(worker: string): void {
  if (NAME.test(worker)) return;
  const message = 'A worker is named by 1 to 128 of A-Z, a-z, 0-9 and ._:/-';
  throw invalidRequest({ pointer: '/worker', message });
}

function missing(member: string, rule: string) {
  return invalidRequest({ pointer: `/${member}`, message: `${rule} It is missing.` });
}
