/** A class that describes a command's parameters. */
export type ParametersClass = new () => object;

/** A class that describes a command's output. */
export type OutputClass = new () => object;

/** Marks what only the executor server takes, whatever other transports there are. */
export const EXECUTOR_TRANSPORT = Symbol.for('backstep.executors');

/** Metadata of a method: the name of the command it runs. */
export const COMMAND_NAME = 'backstep:command';

/** Metadata of a method: the class that its parameters are checked against. */
export const COMMAND_PARAMETERS = 'backstep:parameters';

/** Metadata of a method: the question besides commands that it answers. */
export const SIDE_QUESTION = 'backstep:question';

/** Metadata of a method: the members of its output that are secret. */
export const COMMAND_SECRETS = 'backstep:secrets';

/** Metadata of a method: the class that its output is checked against. */
export const COMMAND_OUTPUT = 'backstep:output';

/** Metadata of an executor: the commands that its methods run, each as its extras describe it. */
export const EXECUTOR_COMMANDS = 'backstep:commands';

/** The command behind a message pattern, as the pattern's extras describe it. */
export interface CommandExtras {
  readonly module: string;
  readonly command: string;
  /** `MysqlExecutor.initInstance`, for messages to the author. */
  readonly method: string;
  /** The class that its parameters are checked against; absent: it takes anything. */
  readonly parameters?: ParametersClass | undefined;
  /** The class that its output is checked against; absent: it gives anything. */
  readonly output?: OutputClass | undefined;
  /** Members of its output that are sealed before they are kept; absent: none. */
  readonly secrets?: readonly string[] | undefined;
}

/** Copies what decorators have said about one function to another one that takes its place. */
export function copyMetadata(from: object, to: object): void {
  for (const key of Reflect.getMetadataKeys(from)) {
    Reflect.defineMetadata(key, Reflect.getMetadata(key, from), to);
  }
}

/** Refuses a name that could not be part of a queue's name or of a flow. */
export function checkName(what: string, name: string): void {
  if (/^[A-Za-z][A-Za-z0-9_-]*$/.test(name)) return;
  throw new Error(`"${name}" is no name of a ${what}: letters, digits, "_" and "-" only`);
}
