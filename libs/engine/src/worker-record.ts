import { ANY_COMMAND, type ExecutorRecord } from '#ports';
import type { WorkerCommand, WorkerRegistration } from './work-desk.js';

/** The words of a worker. */
export interface Words {
  readonly registration: WorkerRegistration;
  /** It said itself which commands it has; else its polls name modules alone. */
  readonly isRegistered: boolean;
}

/** A worker that announces itself. */
interface Announcer {
  readonly registration: WorkerRegistration;
  /** Milliseconds since 1970, of its first and its last call. */
  readonly since: number;
  readonly seenAt: number;
  readonly isDraining: boolean;
}

/** The words of a worker on one of its modules, as all gateways read them. */
export function workerRecord(
  { isDraining, registration, seenAt, since }: Announcer,
  module: string,
  commands: Readonly<Record<string, WorkerCommand>>,
): Omit<ExecutorRecord, 'busy' | 'version'> {
  const { host = '', modules: _, worker, ...words } = registration;
  const entries = Object.entries(commands);
  const secrets = entries.flatMap(([name, command]) => {
    return command.secrets === undefined ? [] : [[name, command.secrets] as const];
  });
  const schemas = entries.flatMap(([name, { parameters }]) => {
    return parameters === undefined ? [] : [[name, parameters] as const];
  });
  const outputs = entries.flatMap(([name, { output }]) => {
    return output === undefined ? [] : [[name, output] as const];
  });
  return {
    ...words,
    instance: worker,
    module,
    host,
    pid: 0,
    commands: Object.keys(commands),
    parameters: Object.fromEntries(schemas),
    ...(outputs.length > 0 && { outputs: Object.fromEntries(outputs) }),
    ...(secrets.length > 0 && { secrets: Object.fromEntries(secrets) }),
    since,
    seenAt,
    worker: true,
    ...(isDraining && { draining: true }),
  };
}

/** The words of a worker to another gateway; null: it has said nothing. */
export function wordsIn(records: readonly ExecutorRecord[]): Words | null {
  const [first] = records;
  if (first === undefined) return null;
  const { build, host, instance: worker, keyMark, sdk, slots } = first;
  const modules = records.map((record) => {
    const { commands, module, outputs = {}, parameters = {}, secrets = {} } = record;
    const told = commands.map((name): [string, WorkerCommand] => {
      const [schema, output, sealed] = [parameters[name], outputs[name], secrets[name]];
      const schemas = { ...(schema && { parameters: schema }), ...(output && { output }) };
      return [name, { ...schemas, ...(sealed && { secrets: sealed }) }];
    });
    return [module, Object.fromEntries(told)] as const;
  });
  const words = {
    ...(build !== undefined && { build }),
    ...(keyMark !== undefined && { keyMark }),
    ...(sdk !== undefined && { sdk }),
  };
  const registration = { worker, modules: Object.fromEntries(modules), slots, host, ...words };
  return { registration, isRegistered: records.some(isTold) };
}

/** Whether a worker has said which commands it has of a module. */
function isTold({ commands }: ExecutorRecord): boolean {
  return !commands.includes(ANY_COMMAND);
}
