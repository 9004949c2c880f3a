import type { Command } from 'commander';
import type { Bind } from './call.js';

const START_EXAMPLES = `
Actions: rollback, terminate, retry, skip, complete, pause, resume, reset, undo, restart, delete.
Each takes what it takes for one task. It goes on whatever becomes of this command; exit code with
-f: 0 if every task that matched was acted on.

Examples:
  $ backstep operation start retry --query 'status:rollback_failed' --reason "disk is back" --dry-run
  $ backstep operation start retry --query 'status:rollback_failed' --reason "disk is back" -f
  $ backstep operation start skip --step pay --query 'flow:order-*' --reason "paid by hand" --rate 5
  $ backstep operation start restart --query 'flow:create-* status:failed age:<1d' --reason "new host"`;

/** Commands about actions on all tasks that match. */
export function addOperationCommands(root: Command, bind: Bind): void {
  const operation = root.command('operation').description('act on all tasks that match');
  addStart(operation, bind);
  bind(
    operation
      .command('get')
      .description('progress of an operation, with refused and failed tasks')
      .argument('<operation>', 'its id')
      .option('-f, --follow', 'follow it until it has ended'),
    async () => (await import('../commands/operations.js')).operationGet,
  );
  bind(
    operation
      .command('list')
      .description('operations, the newest first')
      .option('--status <status>', 'only those of this status, such as waiting')
      .option('--limit <count>', 'how many', '50')
      .option('--all', 'all there are'),
    async () => (await import('../commands/operations.js')).operationList,
  );
  bind(
    operation
      .command('cancel')
      .description('act on no further task; finished actions stay')
      .argument('<operation>', 'its id')
      .option('--reason <text>', 'why'),
    async () => (await import('../commands/operations.js')).operationCancel,
  );
  addDecisions(operation, bind);
}

/** Commands for the decision of a second person, where `BACKSTEP_APPROVALS` requires one. */
function addDecisions(operation: Command, bind: Bind): void {
  bind(
    operation
      .command('approve')
      .description('approve an operation that waits for a second person')
      .argument('<operation>', 'its id')
      .option('--comment <text>', 'why; kept with the operation'),
    async () => (await import('../commands/operations.js')).decideOn('approve'),
  );
  bind(
    operation
      .command('reject')
      .description('reject an operation that waits for a second person')
      .argument('<operation>', 'its id')
      .option('--comment <text>', 'why; kept with the operation'),
    async () => (await import('../commands/operations.js')).decideOn('reject'),
  );
}

function addStart(operation: Command, bind: Bind): void {
  const start = operation
    .command('start')
    .description('apply an action to all tasks that match')
    .argument('<action>', 'action on each of them')
    .argument('[parameters...]', 'of retry, reset and restart: key=value')
    .requiredOption('--query <search>', 'which tasks, such as "flow:create-* status:failed"')
    .requiredOption('--reason <text>', 'why; kept in the journal of each task')
    .option('-n, --dry-run', 'say what would happen to each task, and change none')
    .option('-f, --follow', 'follow it until it has ended')
    .option('--rate <number>', 'tasks a second (default: 100)')
    .option('--step <name>', 'of skip and complete: which step')
    .option('--result <json>', 'of skip and complete: output of the step that counts as done')
    .option('--to <step>', 'of rollback and reset: the step to go back to')
    .option(
      '--children <which>',
      'of retry and reset: start failed or all child tasks of a step again',
    )
    .option('-i, --input <json>', 'parameters: a file, - for standard input, or the JSON itself')
    .option('--idempotency-key <key>', 'a request that is repeated with its key starts it once')
    .addHelpText('after', START_EXAMPLES);
  bind(start, async () => (await import('../commands/operations.js')).operationStart);
}
