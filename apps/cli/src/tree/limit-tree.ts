import type { Command } from 'commander';
import type { Bind } from './call.js';

const SET_EXAMPLES = `
They hold over all executors and workers together, and take the place of earlier limits as a whole:
what is not given has no limit. The last tenth of --max-concurrency is for rollbacks alone. Steps
that wait fail for nothing: \`backstep task why\` says MODULE_AT_LIMIT.

Examples:
  $ backstep limit set mysql --max-concurrency 20 --rate 5
  $ backstep limit set mysql --max-concurrency 20 --fair-by tenant --if-match 3`;

/** Commands about the limits of modules. */
export function addLimitCommands(root: Command, bind: Bind): void {
  const limit = root.command('limit').description('limit the actions of modules');
  bind(
    limit.command('list').description('modules with limits, and how many of their actions wait'),
    async () => (await import('../commands/limits.js')).limitList,
  );
  const set = limit
    .command('set')
    .description('set the limits of a module')
    .argument('<module>', 'its name')
    .option('--max-concurrency <number>', 'most actions that run at a time, 1 to 1000')
    .option('--rate <number>', 'most actions that start in a second, like 20 or 0.5')
    .option('--fair-by <label>', 'whose values take turns among the actions that wait')
    .option('--if-match <generation>', 'only if they are at this generation; 0: if there are none')
    .addHelpText('after', SET_EXAMPLES);
  bind(set, async () => (await import('../commands/limits.js')).limitSet);
  const remove = limit
    .command('remove')
    .description('remove the limits of a module; what waits for them starts')
    .argument('<module>', 'its name')
    .option('--if-match <generation>', 'only if they are at this generation');
  bind(remove, async () => (await import('../commands/limits.js')).limitRemove);
}
