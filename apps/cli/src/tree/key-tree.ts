import { type Command, Option } from 'commander';
import { type Bind, collect } from './call.js';

const CREATE_EXAMPLES = `
The key is printed this once. With --admin the key is written to the store that the settings name,
without a running process: that is how the first one is made. So is any key with --store. A key that
is made otherwise counts as the person who made it, where an action needs two.

Examples:
  $ backstep key create root --admin
  $ backstep key create alice --role operator --store mongodb://127.0.0.1/backstep
  $ backstep key create ci --role starter --flows 'create-*' --label team=payments --expires 90d
  $ export BACKSTEP_TOKEN=$(backstep key create on-call --role operator -o name)`;

const CONSOLE_EXAMPLE = `
It needs a Backstep of this machine that was started with BACKSTEP_AUTH=token, and its data folder.

Example:
  $ xdg-open "$(backstep console)"`;

/** Commands about API keys, and about signing in. */
export function addKeyCommands(root: Command, bind: Bind): void {
  const key = root.command('key').description('make API keys, list them, take them back');
  const create = key
    .command('create')
    .description('make a key and print it; it is shown only once')
    .argument('<name>', 'its name, as journals show it')
    .option('--role <role>', 'viewer, starter, operator, author, worker or admin')
    .option('--flows <patterns>', 'only these flows, with commas; * stands for any text')
    .addOption(new Option('--label <key=value>', 'only tasks with this label').argParser(collect))
    .option('--modules <patterns>', 'only these modules, with commas; * stands for any text')
    .option('--expires <duration>', 'not valid after this time, like 90d or 12h')
    .option('--admin', 'an admin key, written into the store; no process need run')
    .option('--store <url>', 'write the key into this store; no process need run')
    .addHelpText('after', CREATE_EXAMPLES);
  bind(create, async () => (await import('../commands/key-create.js')).keyCreate);
  bind(
    key.command('list').description('keys, what they may do and when they were last used'),
    async () => (await import('../commands/keys.js')).keyList,
  );
  bind(
    key.command('revoke').description('take a key back').argument('<id>', 'its id, or the key'),
    async () => (await import('../commands/keys.js')).keyRevoke,
  );
  bind(
    root
      .command('console')
      .description('print an address of the console that signs a browser in, once')
      .addHelpText('after', CONSOLE_EXAMPLE),
    async () => (await import('../commands/sign-in-link.js')).consoleLink,
  );
}
