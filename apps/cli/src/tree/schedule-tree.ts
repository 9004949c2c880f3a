import { type Command, Option } from 'commander';
import { type Bind, collect } from './call.js';

const PUT_EXAMPLES = `
One of --cron, --every and --at says when. A schedule that is stored again is replaced as a whole;
the same again changes nothing.

Examples:
  $ backstep schedule put nightly --flow clean-up --cron '30 2 * * *' --timezone Europe/Berlin
  $ backstep schedule put poll --flow check-hosts --every 15m --overlap queue zone=eu
  $ backstep schedule put launch --file launch.json --if-match 3`;

/** Commands about schedules. */
export function addScheduleCommands(root: Command, bind: Bind): void {
  const schedule = root.command('schedule').description('start tasks by the clock');
  addPut(schedule, bind);
  const get = schedule
    .command('get')
    .description('one schedule, its next moments and what became of the last')
    .argument('<name>', 'its name')
    .option('--next <number>', 'how many next moments to show (default: 5)');
  bind(get, async () => (await import('../commands/schedules.js')).scheduleGet);
  const why = schedule
    .command('why')
    .description('why it starts no task, and how its latest moments fared')
    .argument('<name>', 'its name');
  bind(why, async () => (await import('../commands/schedules.js')).scheduleWhy);
  bind(
    schedule.command('list').description('schedules, by their names'),
    async () => (await import('../commands/schedules.js')).scheduleList,
  );
  const remove = schedule
    .command('delete')
    .description('remove a schedule; the tasks that it started stay')
    .argument('<name>', 'its name')
    .option('--if-match <generation>', 'only if it is at this generation');
  bind(remove, async () => (await import('../commands/schedules.js')).scheduleDelete);
  const trigger = schedule
    .command('trigger')
    .description('start a task of a schedule now, also while it is paused')
    .argument('<name>', 'its name')
    .option('--reason <text>', 'why, for the audit log')
    .option('--idempotency-key <key>', 'repeating a request with its key makes no second task');
  bind(trigger, async () => (await import('../commands/schedules.js')).scheduleTrigger);
  addChanges(schedule, bind);
}

function addPut(schedule: Command, bind: Bind): void {
  const put = schedule
    .command('put')
    .description('store a schedule')
    .argument('<name>', 'its name')
    .argument('[parameters...]', 'key=value; a value that is JSON is taken as JSON')
    .option('--file <json>', 'the schedule as HTTP takes it; other options win over it')
    .option('--flow <name>', 'what it starts')
    .option('--cron <fields>', 'five or six fields')
    .option('--every <duration>', 'like 15m or 24h')
    .option('--at <time>', 'once: ISO 8601')
    .option('--timezone <name>', 'of --cron, and of --at without an offset (default: UTC)')
    .option('--overlap <what>', 'skip, queue or allow, while a run goes on (default: skip)')
    .option('--catch-up <what>', 'none, last or all of what was missed (default: last)')
    .option('-i, --input <json>', 'parameters: a file, - for standard input, or the JSON itself')
    .addOption(new Option('--label <key=value>', 'label of its tasks').argParser(collect))
    .option('--priority <number>', 'order its steps as if they were due so many seconds earlier')
    .option('--paused', 'store it paused')
    .option('--if-match <generation>', 'only if it is at this generation; 0: if it is new')
    .addHelpText('after', PUT_EXAMPLES);
  bind(put, async () => (await import('../commands/schedules.js')).schedulePut);
}

function addChanges(schedule: Command, bind: Bind): void {
  for (const [verb, what] of [
    ['pause', 'let the moments of a schedule pass without a task'],
    ['resume', 'let a paused schedule go on with its next moment'],
  ] as const) {
    const change = schedule
      .command(verb)
      .description(what)
      .argument('<name>', 'its name')
      .requiredOption('--reason <text>', 'why, for the audit log');
    bind(change, async () => (await import('../commands/schedules.js')).changeOf(verb));
  }
}
