import type { Command } from 'commander';
import type { Bind } from './call.js';

const EXAMPLES = `
Examples:
  $ backstep task complete <task> provision --token bsc_... --result '{"host":"a"}'
  $ backstep task complete <task> provision --token bsc_... --error QUOTA --message "no room"`;

/** The command by which somebody outside says how an attempt ended. */
export function addCompletion(task: Command, bind: Bind): void {
  const complete = task
    .command('complete')
    .description('report how an attempt ended that completes from outside')
    .argument('<task>', 'its id')
    .argument('<run>', 'id of the run of the step')
    .requiredOption('--token <token>', 'the completion token that the command was given')
    .option('--result <json>', 'output of the step')
    .option('--error <code>', 'instead: the attempt failed, with this code')
    .option('--message <text>', 'with --error: what went wrong')
    .option('--retryable', 'with --error: trying again may help')
    .option('--if-match <revision>', 'only if the task is still at this revision')
    .option('--watch', 'draw the task until it ends')
    .addHelpText('after', EXAMPLES);
  bind(complete, async () => (await import('../commands/task-complete.js')).taskComplete);
}
