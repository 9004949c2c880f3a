import { type Command, Option } from 'commander';
import type { Bind } from './call.js';
import { executorsOption } from './process-tree.js';

const VALIDATE_EXAMPLE = `
Prints file:line:column, what is wrong and what to write instead. Modules and commands are checked
where a gateway answers; it says so where none does.

Example:
  $ backstep flow validate flow-configs/*.json*`;

const PUT_EXAMPLE = `
Stores what the file defines as the newest versions.
Names that files of the server define are refused.

Example:
  $ backstep flow put night-check.jsonc --name night-check --if-match 3`;

const TEST_EXAMPLE = `
Needs no server. Plays each flow of the files in memory, once undisturbed and then once for each
step that fails: before, during and after its effect, by error, by time-out and by crash; rollbacks
fail, too. The answers of commands, signals and persons are in <flow>.test.json beside the file,
where there is one. Exit code 1: something is not clean, or not as that file expects.

Example:
  $ backstep flow test flow-configs/create-db-instance.json`;

const IMPORT_EXAMPLE = `
Needs no server. Writes the flow to standard output or to --out, and to standard error what was not
carried, and why. Nothing in the source says how to undo a step: add the rollbacks.

Example:
  $ backstep flow import --from asl order.asl.json --module shop --out flow-configs/order.json`;

/** Commands about flows. */
export function addFlowCommands(root: Command, bind: Bind): void {
  const flow = root.command('flow').description('look at flows, store them, and check flow files');
  bind(
    flow
      .command('list')
      .description('flows, each at its newest version')
      .option('--all', 'also those that were retired, or whose file is gone'),
    async () => (await import('../commands/flows.js')).flowList,
  );
  const get = flow
    .command('get')
    .description('one flow')
    .argument('<name>', 'its name')
    .option('--flow-version <number>', 'an older version')
    .option('--source', 'its text as its author wrote it, with comments and without its name');
  bind(get, async () => (await import('../commands/flows.js')).flowGet);
  const validate = flow
    .command('validate')
    .description('check flow files')
    .argument('<files...>', 'the files')
    .option('--strict', 'count warnings as problems')
    .addOption(executorsOption())
    .addHelpText('after', VALIDATE_EXAMPLE);
  bind(validate, async () => (await import('../commands/flow-validate.js')).flowValidate);
  const test = flow
    .command('test')
    .description('let every step of a flow fail in memory, and see what is left')
    .argument('<files...>', 'the files')
    .option('--flow <name>', 'this flow of the files alone')
    .addOption(executorsOption())
    .addHelpText('after', TEST_EXAMPLE);
  bind(test, async () => (await import('../commands/flow-test.js')).flowTest);
  addDrill(flow, bind);
  addImport(flow, bind);
  addDefinitions(flow, bind);
  addStatistics(flow, bind);
}

const DRILL_EXAMPLE = `
Starts a Backstep of its own on a store that is thrown away: nothing of yours is touched, except by
executors of your own and by requests of module http, which are real.

With --record the gateway at --url keeps the result, and shows it with the flow.

Examples:
  $ backstep flow drill create-db-instance cpu=4 memory=8 storage=500
  $ backstep flow drill create-db-instance cpu=4 memory=8 storage=500 --record
  $ backstep flow drill order --executors ./dist/main.js -i '{"item": "chair"}'

Exit codes: 0 all as expected, 1 something is not, 2 wrong usage or input, 4 the gateway has no
version that is the flow of the file.`;

function addDrill(flow: Command, bind: Bind): void {
  const drill = flow
    .command('drill')
    .description('let every step of a flow fail with its real executors, and see what is left')
    .argument('<name>', 'name of the flow')
    .argument('[parameters...]', 'key=value; a value that is JSON is taken as JSON')
    .option('-i, --input <json>', 'parameters: a file, - for standard input, or the JSON itself')
    .option('--flows <folder>', 'where its file is (BACKSTEP_FLOWS; default: ./flow-configs)')
    .addOption(executorsOption())
    .option('--record', 'keep the result in the gateway, with the version that was drilled')
    .option('--rest-within <duration>', 'a play that moves for longer is stuck (default: 60s)')
    .addHelpText('after', DRILL_EXAMPLE);
  bind(drill, async () => (await import('../commands/flow-drill.js')).flowDrill);
}

function addImport(flow: Command, bind: Bind): void {
  const from = new Option('--from <source>', 'format of the definition').choices([
    'conductor',
    'asl',
  ]);
  const command = flow
    .command('import')
    .description('make flows of a workflow of Conductor or a state machine of Step Functions')
    .argument('<file>', 'the definition, JSON')
    .addOption(from.makeOptionMandatory())
    .option('--module <module>', 'module of commands that have none there (default: the source)')
    .option('--name <name>', 'name of the flow if the source has none (default: that of the file)')
    .option('--out <file>', 'write it there, and a test file beside it; both must be new')
    .option('--publish', 'store it as the newest version, as flow put does')
    .addHelpText('after', IMPORT_EXAMPLE);
  bind(command, async () => (await import('../commands/flow-import.js')).flowImport);
}

const DRAW_EXAMPLE = `
Writes Mermaid, or what -o says: mermaid, dot or svg.

Example:
  $ backstep flow draw create-db-cluster -o svg > cluster.svg`;

const STATISTICS_EXAMPLE = `
Counts all tasks of all versions. Steps have the failure rate of their actions, the time that half
and 95 % of them took at most, and the most frequent error codes.

Example:
  $ backstep flow statistics create-db-instance --over month`;

function addStatistics(flow: Command, bind: Bind): void {
  const statistics = flow
    .command('statistics')
    .description('how tasks and steps of a flow ended over time')
    .argument('<name>', 'its name')
    .addOption(
      new Option('--over <span>', 'time span (default: day)').choices(['hour', 'day', 'month']),
    )
    .addHelpText('after', STATISTICS_EXAMPLE);
  bind(statistics, async () => (await import('../commands/flow-statistics.js')).flowStatistics);
}

function addDefinitions(flow: Command, bind: Bind): void {
  const draw = flow
    .command('draw')
    .description('draw a flow: its steps, and the way back')
    .argument('<name>', 'its name')
    .option('--flow-version <number>', 'an older version')
    .addHelpText('after', DRAW_EXAMPLE);
  bind(draw, async () => (await import('../commands/draw.js')).flowDraw);
  const plan = flow
    .command('plan')
    .description('what a task would run, and the way back at each point')
    .argument('<name>', 'name of the flow')
    .argument('[parameters...]', 'key=value; a value that is JSON is taken as JSON')
    .option('-i, --input <json>', 'parameters: a file, - for standard input, or the JSON itself');
  bind(plan, async () => (await import('../commands/flows.js')).flowPlan);
  const put = flow
    .command('put')
    .description('store the flows of a file as the newest versions')
    .argument('<file>', 'a flow file')
    .option('--name <name>', 'only this flow of it')
    .option('--if-match <version>', 'only if this is the newest version; 0: if there is none')
    .addHelpText('after', PUT_EXAMPLE);
  bind(put, async () => (await import('../commands/flow-put.js')).flowPut);
  const retire = flow
    .command('delete')
    .description('retire a flow: it takes no new task')
    .argument('<name>', 'its name')
    .option('--if-match <version>', 'only if this is the newest version');
  bind(retire, async () => (await import('../commands/flow-put.js')).flowDelete);
  const versions = flow
    .command('versions')
    .description('the versions of a flow, newest first')
    .argument('<name>', 'its name');
  bind(versions, async () => (await import('../commands/flows.js')).flowVersions);
  const diff = flow
    .command('diff')
    .description('what differs between two versions of a flow')
    .argument('<name>', 'its name')
    .argument('<from>', 'number of a version')
    .argument('[to]', 'of the other one (default: the newest)');
  bind(diff, async () => (await import('../commands/flows.js')).flowDiff);
}
