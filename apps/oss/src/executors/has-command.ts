import { ANY_COMMAND, type ExecutorRecord } from '#ports';

/** Whether an executor has a command, as far as it says which it has. */
export function hasCommand(
  { commands }: Pick<ExecutorRecord, 'commands'>,
  command: string,
): boolean {
  return commands.includes(command) || commands.includes(ANY_COMMAND);
}
