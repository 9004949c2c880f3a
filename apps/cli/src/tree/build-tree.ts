import { Command, InvalidArgumentError, Option } from 'commander';
import type { Terminal } from '../terminal/terminal.js';
import { usualUrl } from '../terminal/usual-url.js';
import { type Bind, collect, DRAWINGS, WORDS_COMMAND } from './call.js';
import { addFlowCommands } from './flow-tree.js';
import { addLimitCommands } from './limit-tree.js';
import { addNotificationCommands } from './notification-tree.js';
import { addOperationCommands } from './operation-tree.js';
import { addScheduleCommands } from './schedule-tree.js';
import { addProcessCommands, type SettingFlag } from './process-tree.js';
import { addTaskCommands } from './task-tree.js';
import { addWorkerCommand } from './worker-tree.js';

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

const EXPORT_EXAMPLE = `
The tasks stay where they are. The gateway itself archives tasks that retention removes, where
BACKSTEP_ARCHIVE names a folder.

Example:
  $ backstep archive export --query 'flow:create-* age:>30d' --out ./old-tasks`;

const IMPORT_EXAMPLE = `
Each file is checked against the manifest before a task of it is put back. A task that is there
stays as it is. Retention keeps an imported task as long as one that has just ended.

Exit codes: 0 all tasks are there now, 2 the folder is no archive, or a file of it is damaged,
4 at least one task was refused.

Example:
  $ backstep archive import ./old-tasks`;

const VERIFY_EXAMPLE = `
Says which entry was changed, removed or moved. That entries are missing at the end, nobody can tell
who does not know the last one: give what an earlier run printed, or signed heads, kept elsewhere.
A file of heads has one in each line, as \`backstep audit head\` prints it and the gateway logs it.

Examples:
  $ backstep audit verify --head 4711:9f86d08188...
  $ backstep audit verify --head heads.jsonl --public-key audit.pub`;

const EXAMPLE = `
The gateway at --url copies its store while it works, and all that belongs to it, as they were at
one moment: a task that was accepted before the command began is in the copy. It needs the role
admin. Where nothing listens, and no --url was given, the files that the settings name are copied.
Every page of the copy is checked. To restore it, start Backstep with BACKSTEP_DATA=<folder>, or
with a copy of it. The store of the distributed set is MongoDB, which has its own tools.

Exit codes: 0 the copy is whole, 2 the folder is not empty or cannot be written, 4 the store is
MongoDB, or a process that does not listen there has it open, 5 there is no store, or it is damaged.

Example:
  $ backstep backup /backup/$(date +%F)`;

const CREATE_EXAMPLES = `
The key is printed this once. With --admin and no BACKSTEP_TOKEN the key is written to the store that
the settings name, without a running process: that is how the first one is made. So is any key with
--store. One that is made otherwise counts as the person who made it, where an action needs two.

Examples:
  $ backstep key create root --admin
  $ backstep key create alice --role operator --store mongodb://127.0.0.1/backstep
  $ backstep key create ci --role starter --flows 'create-*' --label team=payments --expires 90d
  $ export BACKSTEP_TOKEN=$(backstep key create on-call --role operator -o name)`;

const CONSOLE_EXAMPLE = `
It needs a Backstep of this machine that was started with BACKSTEP_AUTH=token, and its data folder.
Paste the link into a browser. Other users of the machine see the arguments of programs, and could
use a link among them first.

Example:
  $ backstep console`;

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
  addLimitCommands(root, bind);
  addKeyCommands(root, bind);
  addAuditCommands(root, bind);
  addArchiveCommands(root, bind);
  addBackupCommand(root, bind);
  addWorkerCommand(root, bind);
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
    root.command(WORDS_COMMAND, { hidden: true }).argument('<what>', 'flow, module or task'),
    async () => (await import('../commands/completion.js')).completionWords,
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
    async () => (await import('../commands/executors.js')).executorList,
  );
  bind(
    executor
      .command('drain')
      .description('have a worker finish what it has, and get nothing more')
      .argument('<worker>', 'its instance, as `executor list` shows it')
      .option('--off', 'let it get actions again')
      .addHelpText('after', DRAIN_EXAMPLE),
    async () => (await import('../commands/executors.js')).executorDrain,
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

/** Commands about final tasks outside of the store. */
function addArchiveCommands(root: Command, bind: Bind): void {
  const archive = root.command('archive').description('keep final tasks in files, and read them');
  const toFiles = archive
    .command('export')
    .description('write final tasks into a folder, without removing them')
    .requiredOption('--out <folder>', 'where; files are added to an archive that is there')
    .option('--query <text>', 'a search, such as: flow:create-* age:>30d')
    .option('--flow <name>', 'only tasks of this flow')
    .option('--status <names>', 'only with one of these states, separated by commas')
    .option('--label <key=value>', 'only with this label; may be repeated', collect)
    .addHelpText('after', EXPORT_EXAMPLE);
  bind(toFiles, async () => (await import('../commands/archive.js')).archiveExport);
  const back = archive
    .command('import')
    .description('put the tasks of an archive back')
    .argument('<folder>', 'where the archive is')
    .addHelpText('after', IMPORT_EXAMPLE);
  bind(back, async () => (await import('../commands/archive.js')).archiveImport);
}

/** Commands about the audit log. */
function addAuditCommands(root: Command, bind: Bind): void {
  const audit = root.command('audit').description('look at who did what, and check that log');
  const list = audit
    .command('list')
    .description('entries, the newest first')
    .option('--actor <text>', 'only those whose actor has this text')
    .option('--operation <text>', 'only those whose operation has this text, such as :terminate')
    .option('--target <text>', 'only those whose address has this text, such as the id of a task')
    .option('--limit <number>', 'how many (default: 50)')
    .option('--all', 'all of them, page after page');
  bind(list, async () => (await import('../commands/audit.js')).auditList);
  const head = audit
    .command('head')
    .description('the last entry, signed by the gateway, as a line to keep elsewhere');
  bind(head, async () => (await import('../commands/audit.js')).auditHead);
  const verify = audit
    .command('verify')
    .description('check that no entry was changed, removed or moved')
    .option('--head <seq:hash or file>', 'an entry that must be there, or a file of signed heads')
    .option('--public-key <file>', 'PEM file of keys: heads and removals must be signed with one')
    .addHelpText('after', VERIFY_EXAMPLE);
  bind(verify, async () => (await import('../commands/audit.js')).auditVerify);
}

/** The command that copies a store. */
function addBackupCommand(root: Command, bind: Bind): void {
  const backup = root
    .command('backup')
    .description('copy the store of a standalone process, while it runs or stopped')
    .argument('<folder>', 'where; must be new or empty')
    .addHelpText('after', EXAMPLE);
  bind(backup, async () => (await import('../commands/backup.js')).backup);
}

/** Commands about API keys, and about signing in. */
function addKeyCommands(root: Command, bind: Bind): void {
  const key = root.command('key').description('make API keys, list them, take them back');
  const create = key
    .command('create')
    .description('make a key and print it; it is shown only once')
    .argument('<name>', 'its name, as journals show it')
    .option('--role <role>', 'viewer, starter, operator, author, worker or admin')
    .option('--flows <patterns>', 'only these flows, with commas; * stands for any text')
    .option('--label <key=value>', 'only tasks with this label; its value may have *', collect)
    .option('--modules <patterns>', 'only these modules, with commas; * stands for any text')
    .option('--expires <duration>', 'not valid after this time, like 90d or 12h')
    .option('--admin', 'an admin key; without BACKSTEP_TOKEN it is written into the store')
    .option('--store <url>', 'write the key into this store; no process need run')
    .addHelpText('after', CREATE_EXAMPLES);
  bind(create, async () => (await import('../commands/keys.js')).keyCreate);
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
