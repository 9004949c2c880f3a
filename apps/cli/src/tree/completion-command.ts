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
    .description('say how an attempt ended that was left to somebody outside')
    .argument('<task>', 'its id')
    .argument('<run>', 'id of the run of the step')
    .requiredOption('--token <token>', 'the completion token that the command was given')
    .option('--result <json>', 'what the step gives')
    .option('--error <code>', 'instead: it came to nothing, and flows call that so')
    .option('--message <text>', 'with --error: what went wrong')
    .option('--retryable', 'with --error: trying again may help')
    .option('--if-match <revision>', 'only if the task is still at this revision')
    .option('--watch', 'draw the task until it ends')
    .addHelpText('after', EXAMPLES);
  bind(complete, async () => (await import('../commands/task-complete.js')).taskComplete);
}
