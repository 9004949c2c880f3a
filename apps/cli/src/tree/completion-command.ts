import type { Command } from 'commander';
import type { Bind } from './call.js';

const EXAMPLES = `
Examples:
  $ backstep task complete <task> provision --token bsc_... --result '{"host":"a"}'
  $ backstep task complete <task> provision --token bsc_... --error QUOTA --message "no room"
  $ backstep task complete <task> provision --reason "the host is there: ticket 4711"`;

/** The command by which somebody outside says how an attempt ended. */
export function addCompletion(task: Command, bind: Bind): void {
  const complete = task
    .command('complete')
    .description('report how an attempt ended that completes from outside')
    .argument('<task>', 'its id')
    .argument('<run>', 'id of the run of the step, or with --reason its name')
    .option('--token <token>', 'the completion token that the command was given')
    .option('--reason <text>', 'instead, as an operator: why; kept in the journal of the task')
    .option('--result <json>', 'output of the step')
    .option('--error <code>', 'instead: the attempt failed, with this code')
    .option('--message <text>', 'with --error: what went wrong')
    .option('--retryable', 'with --error: trying again may help')
    .option('--if-match <revision>', 'only if the task is still at this revision')
    .option('--idempotency-key <key>', 'a completion that is repeated with its key acts once')
    .option('--watch', 'draw the task until it ends')
    .addHelpText('after', EXAMPLES);
  bind(complete, async () => (await import('../commands/task-complete.js')).taskComplete);
}
