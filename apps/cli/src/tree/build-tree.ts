import { Command, InvalidArgumentError, Option } from 'commander';
import type { Terminal } from '../terminal/terminal.js';
import { usualUrl } from '../terminal/usual-url.js';
import { addArchiveCommands } from './archive-tree.js';
import { addBackupCommand } from './backup-tree.js';
import { addAuditCommands } from './audit-tree.js';
import { type Bind, DRAWINGS, WORDS_COMMAND } from './call.js';
import { addFlowCommands } from './flow-tree.js';
import { addKeyCommands } from './key-tree.js';
import { addNotificationCommands } from './notification-tree.js';
import { addOperationCommands } from './operation-tree.js';
import { addScheduleCommands } from './schedule-tree.js';
import { addProcessCommands, type SettingFlag } from './process-tree.js';
import { addTaskCommands } from './task-tree.js';

/** Options for building the tree. */
interface TreeOptions {
  readonly terminal: Terminal;
  readonly version: string;
  /** Takes the words for a person about a command line that is wrong. */
  readonly writeUsage: (text: string) => void;
  readonly bind: Bind;
  /** Settings as flags; empty where no command that takes them can be meant. */
  readonly settings: readonly SettingFlag[];
}

const EXAMPLES = `
Examples:
  $ backstep demo                         see it work, and undo
  $ backstep dev                          everything in one process, data in ./.backstep
  $ backstep task start create-db-instance cpu=4 memory=8 storage=500 --watch
  $ backstep task list --status rollback_failed
  $ backstep task rollback <task> --reason "wrong size"

Exit codes: 0 done (with --wait or watch: the task succeeded), 1 the task ended otherwise,
2 wrong usage or input, 3 not found, 4 conflict, 5 Backstep could not be reached, 6 time is over.

Documentation: docs/README.md of the repository; of a running Backstep's HTTP interface: <url>/docs.`;

/** Every command and option. Nothing is carried out yet. */
export function buildTree({ bind, settings, terminal, version, writeUsage }: TreeOptions): Command {
  const root = new Command('backstep')
    .description('Runs multi-step operations, and undoes them when a step fails.')
    .version(version, '--version', 'print the version')
    .addHelpText('after', EXAMPLES)
    .helpCommand('help [command]', 'show the help of a command')
    .showSuggestionAfterError()
    // Inherited by every command that is added from here on.
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: writeUsage,
      getOutHelpWidth: () => terminal.stdout.columns || 100,
      getErrHelpWidth: () => terminal.stderr.columns || 100,
    });
  addGlobalOptions(root, terminal);
  addProcessCommands(root, bind, settings);
  addTaskCommands(root, bind);
  addFlowCommands(root, bind);
  addOperationCommands(root, bind);
  addScheduleCommands(root, bind);
  addNotificationCommands(root, bind);
  addKeyCommands(root, bind);
  addAuditCommands(root, bind);
  addArchiveCommands(root, bind);
  addBackupCommand(root, bind);
  addOtherCommands(root, bind);
  return root;
}

function addGlobalOptions(root: Command, { env }: Terminal): void {
  const formats = ['table', 'json', 'jsonl', 'name'];
  const output = new Option('-o, --output <format>', 'how data is written').choices(formats);
  output.argParser((format) => {
    if (formats.includes(format) || DRAWINGS.has(format)) return format;
    throw new InvalidArgumentError(`Allowed choices are ${formats.join(', ')}.`);
  });
  root
    .addOption(output.default('table'))
    .option('--url <url>', 'where Backstep is, or unix:<path> (BACKSTEP_URL)', usualUrl(env))
    .option('--timeout <duration>', 'give up after this, like 30s or 5m')
    .option('--no-color', 'write without colours (NO_COLOR)')
    .option('-q, --quiet', 'write data and errors only')
    .option('-v, --verbose', 'say more about what is done');
}

const INIT_EXAMPLE = `
The folder must be new or empty.

Example:
  $ backstep init my-executors && cd my-executors && npm install && npm test && npm start`;

const CREDENTIALS_EXAMPLE = `
It needs the settings of the executor: BACKSTEP_STORE, or BACKSTEP_DATA where instances are on this
machine, BACKSTEP_MYSQL_PROVIDER, and BACKSTEP_SECRET_KEY where passwords are encrypted.

Example:
  $ (umask 077; backstep mysql credentials orders > my.cnf) && mysql --defaults-file=my.cnf`;

function addOtherCommands(root: Command, bind: Bind): void {
  const init = root
    .command('init')
    .description('write a project of your own: an executor, a flow and their test')
    .argument('<folder>', 'where')
    .option('--python', 'a worker in Python instead of an executor')
    .option('--backstep <spec>', 'what it depends on: a version, a .tgz (default: what runs this)')
    .addHelpText('after', INIT_EXAMPLE);
  bind(init, async () => (await import('../init/init.js')).init);
  addExecutorCommands(root, bind);
  addAttemptCommands(root, bind);
  const lock = root.command('lock').description('look at the locks that tasks hold');
  bind(
    lock.command('list').description('locks, their holders and how many tasks wait'),
    async () => (await import('../commands/lock-list.js')).lockList,
  );
  const resource = root.command('resource').description('look into the module `resource`');
  bind(
    resource.command('hosts').description('hosts, their free resources and their allocations'),
    async () => (await import('../commands/resource-hosts.js')).resourceHosts,
  );
  const mysql = root.command('mysql').description('look into the module `mysql`');
  bind(
    mysql
      .command('credentials')
      .description('credentials of an instance, as a my.cnf; no process need run')
      .argument('<instance>', 'its name')
      .option('--store <url>', 'the store, instead of the one of the settings')
      .addHelpText('after', CREDENTIALS_EXAMPLE),
    async () => (await import('../commands/mysql-credentials.js')).mysqlCredentials,
  );
  bind(
    root.command(WORDS_COMMAND, { hidden: true }).argument('<what>', 'flow or task'),
    async () => (await import('../commands/completion-words.js')).completionWords,
  );
  bind(
    root
      .command('completion')
      .description('print a script that completes commands in a shell')
      .argument('<shell>', 'bash, zsh or fish')
      .addHelpText('after', '\nExample:\n  $ source <(backstep completion bash)'),
    async () => (await import('../commands/completion.js')).completion,
  );
}

const DRAIN_EXAMPLE = `
Only workers that ask for work over HTTP. An executor at the broker drains when it gets SIGTERM.

Example:
  $ backstep executor drain node-1/4711/x7k2`;

function addExecutorCommands(root: Command, bind: Bind): void {
  const executor = root.command('executor').description('look at executors, and drain workers');
  bind(
    executor.command('list').description('executors, their commands and when they were last seen'),
    async () => (await import('../commands/executor-list.js')).executorList,
  );
  bind(
    executor
      .command('drain')
      .description('have a worker finish what it has, and get nothing more')
      .argument('<worker>', 'its instance, as `executor list` shows it')
      .option('--off', 'let it get actions again')
      .addHelpText('after', DRAIN_EXAMPLE),
    async () => (await import('../commands/executor-drain.js')).executorDrain,
  );
}

const ATTEMPT_EXAMPLES = `
Examples:
  $ backstep attempt list --age 10m
  $ backstep attempt list --executor mysql-3f1c9a20 -o json`;

function addAttemptCommands(root: Command, bind: Bind): void {
  const attempt = root.command('attempt').description('look at the attempts of steps that run now');
  bind(
    attempt
      .command('list')
      .description('attempts that run now, of all tasks, the oldest first')
      .option('--executor <instance>', 'that this instance runs')
      .option('--step <name>', 'of steps of this name')
      .option('--module <name>', 'of commands of this module')
      .option('--flow <name>', 'of tasks of this flow')
      .option('--direction <way>', 'normal or rollback')
      .option('--age <duration>', 'that began so long ago, or earlier, like 10m')
      .option('--limit <number>', 'how many (default: 50)')
      .option('--all', 'all of them, page after page')
      .addHelpText('after', ATTEMPT_EXAMPLES),
    async () => (await import('../commands/attempt-list.js')).attemptList,
  );
}
