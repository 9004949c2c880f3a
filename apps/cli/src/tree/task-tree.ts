import { type Command, Option } from 'commander';
import type { VerbWith } from '../client/types.js';
import { type Bind, collect } from './call.js';

const EXAMPLES = `
Examples:
  $ backstep task complete <task> provision --token bsc_... --result '{"host":"a"}'
  $ backstep task complete <task> provision --token bsc_... --error QUOTA --message "no room"
  $ backstep task complete <task> provision --reason "the host is there: ticket 4711"`;

/** Commands about tasks. */
export function addTaskCommands(root: Command, bind: Bind): void {
  const task = root.command('task').description('start tasks, look at them, act on them');
  addStart(task, bind);
  addReading(task, bind);
  addForeseeing(task, bind);
  addLooking(task, bind);
  addActions(task, bind);
  addDelete(task, bind);
  addAnswers(task, bind);
}

const WHICH_CHILDREN = 'of a foreach, start again: failed, all, or the id of one child task';

/** The ways to name a task on a command line. */
const TASK = 'its id, the first 8 characters or more, or the last 6 or more';

const GIVEN = 'with --only: the output that a step before it counts as having given';

const START_EXAMPLES = `
Examples:
  $ backstep task start create-db-instance cpu=4 memory=8 storage=500 --watch
  $ backstep task start create-db-cluster -i cluster.json --label team=payments --wait 5m
  $ backstep task start create-db-instance cpu=4 memory=8 storage=500 --only deduct_resource
  $ id=$(backstep task start create-db-instance -i - -o name < parameters.json)`;

function addStart(task: Command, bind: Bind): void {
  const start = task
    .command('start')
    .description('make a task of a flow')
    .argument('<flow>', 'name of the flow')
    .argument('[parameters...]', 'key=value; a value that is JSON is taken as JSON')
    .option('-i, --input <json>', 'parameters: a file, - for standard input, or the JSON itself')
    .addOption(new Option('--label <key=value>', 'label of the task').argParser(collect))
    .option('--idempotency-key <key>', 'repeating a request with its key makes no second task')
    .option('--priority <number>', 'order its steps as if they were due so many seconds earlier')
    .option('--only <step>', 'run this step by itself, as if those before it were done')
    .addOption(new Option('--given <step=json>', GIVEN).argParser(collect))
    .option('--wait [duration]', 'wait for the end, at most this long')
    .option('--watch', 'draw the task until it ends')
    .addHelpText('after', START_EXAMPLES);
  bind(start, async () => (await import('../commands/task-start.js')).taskStart);
}

const LIST_EXAMPLES = `
Examples:
  $ backstep task list --status running,rolling_back
  $ backstep task list --query 'status:failed text:"no host" age:<2h'
  $ backstep task list --query waits:person
  $ backstep task list --query 'parent:none status:failed'
  $ backstep task list --query 'module:mysql status:on_hold'
  $ backstep task list --flow create-db-instance --label team=payments --all -o jsonl`;

function addReading(task: Command, bind: Bind): void {
  const list = task
    .command('list')
    .description('tasks, newest first')
    .option('--flow <name>', 'of this flow')
    .option(
      '--status <names>',
      'in one of these states, with commas; failed and live stand for several',
    )
    .option('--created-after <time>', 'created then or later, like 2026-01-31T08:00:00Z')
    .option('--created-before <time>', 'created earlier')
    .addOption(new Option('--label <key=value>', 'with this label').argParser(collect))
    .option('--parent <task>', 'child tasks of this task')
    .option('--query <search>', 'that a search finds, such as "flow:create-* age:>1h"')
    .addHelpText('after', LIST_EXAMPLES);
  addPaging(list);
  bind(list, async () => (await import('../commands/tasks.js')).taskList);
  const children = task
    .command('children')
    .description('the child tasks of a task, newest first')
    .argument('<task>', TASK)
    .option('--status <names>', 'in one of these states, with commas');
  addPaging(children);
  bind(children, async () => (await import('../commands/tasks.js')).taskChildren);
  const count = task
    .command('count')
    .description('how many tasks there are')
    .option('--by <what>', 'status, flow or label.<name> (default: status)')
    .option('--query <search>', 'that a search finds');
  bind(count, async () => (await import('../commands/tasks.js')).taskCount);
}

function addForeseeing(task: Command, bind: Bind): void {
  bind(
    task
      .command('plan')
      .description('what a rollback would undo, in that order, and how long that takes')
      .argument('<task>', TASK),
    async () => (await import('../commands/task-plan.js')).taskPlan,
  );
  bind(
    task
      .command('preview')
      .description('what an action would do if it were done now, such as `reset --to pay`')
      .argument('<task>', TASK)
      .argument('<action>', 'rollback, terminate, retry, skip, complete, pause, resume, reset, ...')
      .option('--to <step>', 'of rollback and reset: the step down to which it goes back')
      .option('--step <step>', 'of skip, complete, approve and reject: the step')
      .option('--children <which>', WHICH_CHILDREN),
    async () => (await import('../commands/task-preview.js')).taskPreview,
  );
}

const DIRECTIONS = ['normal', 'rollback'];

const LOGS_EXAMPLES = `
Examples:
  $ backstep task logs 019e4f2c --step init_instance --follow
  $ backstep task logs 019e4f2c --direction rollback -o jsonl`;

function addLooking(task: Command, bind: Bind): void {
  bind(
    task.command('get').description('one task, as it is now').argument('<task>', TASK),
    async () => (await import('../commands/tasks.js')).taskGet,
  );
  bind(
    task.command('watch').description('draw a task until it ends').argument('<task>', TASK),
    async () => (await import('../commands/tasks.js')).taskWatch,
  );
  bind(
    task
      .command('draw')
      .description('draw a task; -o mermaid, dot or svg')
      .argument('<task>', TASK),
    async () => (await import('../commands/draw.js')).taskDraw,
  );
  bind(
    task
      .command('provenance')
      .description('where each parameter of a task is from')
      .argument('<task>', TASK),
    async () => (await import('../commands/tasks.js')).taskProvenance,
  );
  bind(
    task
      .command('why')
      .description('why a task does not move, what to do about it, and how long is left')
      .argument('<task>', TASK),
    async () => (await import('../commands/tasks.js')).taskWhy,
  );
  const events = task
    .command('events')
    .description('what happened to a task')
    .argument('<task>', TASK)
    .option('--follow', 'go on until the task ends');
  bind(events, async () => (await import('../commands/tasks.js')).taskEvents);
  const logs = task
    .command('logs')
    .description('what the attempts of a task wrote; of each the newest 64 KiB are kept')
    .argument('<task>', TASK)
    .option('--step <name>', 'of steps of this name')
    .option('--run <id>', 'of this run of a step')
    .addOption(new Option('--direction <way>', 'of one way').choices([...DIRECTIONS]))
    .option('--attempt <number>', 'of attempts of this number')
    .option('--follow', 'go on until the task ends')
    .addHelpText('after', LOGS_EXAMPLES);
  bind(logs, async () => (await import('../commands/task-logs.js')).taskLogs);
}

function addPaging(command: Command): void {
  command
    .option('--limit <number>', 'how many (default: 50)')
    .option('--all', 'all of them, page after page');
}

const ACTIONS = {
  rollback: 'undo everything that ran, or all down to a step, and then wait',
  terminate: 'stop a task here for good, without undoing',
  retry: 'try what failed again: rollbacks, or the steps that a task is on hold for',
  skip: 'count a step as undone by hand, or as done',
  pause: 'start nothing more, in either direction; what runs ends',
  resume: 'let a paused task go on',
  reset: 'undo a step and the steps that need it, then run them again',
  undo: 'undo a task that succeeded',
  restart: 'create a task of the same flow and parameters as one that has ended',
} as const satisfies Readonly<Record<VerbWith<'reason'>, string>>;

function addActions(task: Command, bind: Bind): void {
  for (const verb of Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]) {
    const command = task
      .command(verb)
      .description(ACTIONS[verb])
      .argument('<task>', TASK)
      .requiredOption('--reason <text>', 'why; kept in the journal of the task')
      .addHelpText('after', actionExample(verb));
    addCommon(command);
    if (verb === 'skip') addSkip(command);
    if (verb === 'rollback') command.option('--to <step>', 'the last step to undo');
    if (verb === 'reset') command.requiredOption('--to <step>', 'the step from which to go on');
    if (verb in TAKES_CHILDREN) command.option('--children <which>', WHICH_CHILDREN);
    if (verb in TAKES_PARAMETERS) addParameters(command);
    bind(command, async () => (await import('../commands/task-actions.js')).actionOn(verb));
  }
}

function addDelete(task: Command, bind: Bind): void {
  const remove = task
    .command('delete')
    .description('remove a task that has ended, and all that belongs to it')
    .argument('<task>', TASK)
    .option('--reason <text>', 'why; kept in the audit log')
    .option('--if-match <revision>', 'only if the task is still at this revision')
    .option('--idempotency-key <key>', 'a repetition with its key asks a second person once');
  bind(remove, async () => (await import('../commands/tasks.js')).taskDelete);
}

const ANSWERS: Readonly<Record<VerbWith<'comment'>, string>> = { approve: 'yes', reject: 'no' };

/** Commands by which people and programs outside answer a task that waits for them. */
function addAnswers(task: Command, bind: Bind): void {
  const signal = task
    .command('signal')
    .description('send a signal to a task, for a step that waits for it now or later')
    .argument('<task>', TASK)
    .argument('<name>', 'name of the signal')
    .argument('[payload...]', 'key=value of what the step that waits gives')
    .option('--payload <json>', 'the payload as a JSON object; key=value pairs win over it')
    .addHelpText('after', '\nExample:\n  $ backstep task signal <task> go host=a');
  for (const verb of Object.keys(ANSWERS) as (keyof typeof ANSWERS)[]) {
    const command = task
      .command(verb)
      .description(`say ${ANSWERS[verb]} to a step that asks`)
      .argument('<task>', TASK)
      .option('--step <name>', 'which step (default: the only one that asks)')
      .requiredOption('--comment <text>', 'why; kept with the answer')
      .addHelpText('after', actionExample(verb));
    addCommon(command);
    bind(command, async () => (await import('../commands/task-actions.js')).actionOn(verb));
  }
  addCommon(signal);
  bind(signal, async () => (await import('../commands/task-actions.js')).actionOn('signal'));
  addCompletion(task, bind);
}

function addCommon(command: Command): void {
  command
    .option('--if-match <revision>', 'only if the task is still at this revision')
    .option('--idempotency-key <key>', 'an action that is repeated with its key acts once')
    .option('--watch', 'draw the task until it ends');
}

const TAKES_PARAMETERS: Readonly<Record<VerbWith<'parameters'>, true>> = {
  retry: true,
  reset: true,
  restart: true,
};

const TAKES_CHILDREN: Readonly<Record<VerbWith<'children'>, true>> = { retry: true, reset: true };

function addSkip(command: Command): void {
  command
    .requiredOption('--step <name>', 'which step')
    .option('--result <json>', 'output of the step that counts as done');
}

function addParameters(command: Command): void {
  command
    .argument('[parameters...]', 'key=value to change; a value that is JSON is taken as JSON')
    .option('-i, --input <json>', 'parameters: a file, - for standard input, or the JSON itself');
}

function actionExample(verb: string): string {
  const steps: Readonly<Record<string, string>> = {
    skip: ' --step init_instance',
    reset: ' --to init_instance memory=16',
  };
  const step = steps[verb] ?? '';
  if (verb === 'approve' || verb === 'reject') {
    return `\nExample:\n  $ backstep task ${verb} <task> --comment "ticket 4711"`;
  }
  return `\nExample:\n  $ backstep task ${verb} <task>${step} --reason "ticket 4711"`;
}

/** The command by which a person or system outside says how an attempt ended. */
function addCompletion(task: Command, bind: Bind): void {
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
