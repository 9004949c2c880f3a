import type { Command } from 'commander';
import type { Bind } from './call.js';

const VALIDATE_EXAMPLE = `
Needs no server. Prints file:line:column, what is wrong and what to write instead.

Example:
  $ backstep flow validate flow-configs/*.json*`;

/** Commands about flows. */
export function addFlowCommands(root: Command, bind: Bind): void {
  const flow = root.command('flow').description('look at flows, and check flow files');
  bind(
    flow.command('list').description('flows, each at its newest version'),
    async () => (await import('../commands/flows.js')).flowList,
  );
  const get = flow
    .command('get')
    .description('one flow')
    .argument('<name>', 'its name')
    .option('--flow-version <number>', 'an older version');
  bind(get, async () => (await import('../commands/flows.js')).flowGet);
  const validate = flow
    .command('validate')
    .description('check flow files')
    .argument('<files...>', 'the files')
    .option('--strict', 'count warnings as problems')
    .addHelpText('after', VALIDATE_EXAMPLE);
  bind(validate, async () => (await import('../commands/flow-validate.js')).flowValidate);
}
