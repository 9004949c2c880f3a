import { Argument, type Command, Option } from 'commander';
import type { SettingEntry } from '#settings';
import { type Bind, collect } from './call.js';

/** One setting as a flag. */
export interface SettingFlag {
  /** `--governance-interval <value>` */
  readonly flags: string;
  readonly meaning: string;
}

/** The processes that can be started by name. */
export const PROCESS_NAMES = [
  'standalone',
  'oss',
  'resource',
  'mysql',
  'monitor',
  'http',
  'lab',
] as const;

/** Commands that take settings; only for these are the settings loaded. */
export const SETTING_COMMANDS: ReadonlySet<string> = new Set([
  'dev',
  'start',
  'config',
  'doctor',
  'completion',
]);

const SETTINGS_HEADING = 'Settings (also as BACKSTEP_... variables, see `config print`):';

/** Commands that run Backstep, and those that look at how it would run. */
export function addProcessCommands(
  root: Command,
  bind: Bind,
  settings: readonly SettingFlag[],
): void {
  const dev = root
    .command('dev')
    .description('run everything here, to develop flows and executors')
    .addOption(executorsOption())
    .option('--no-watch', 'do not start again when the code of --executors changes')
    .addHelpText('after', DEV_EXAMPLES);
  bind(withSettings(dev, settings), async () => (await import('../commands/dev.js')).dev);
  const start = root
    .command('start')
    .description('run one process of Backstep until it is told to stop')
    .addArgument(
      new Argument('[process]', 'which one; none: only --executors').choices(PROCESS_NAMES),
    )
    .addOption(executorsOption())
    .addHelpText('after', START_EXAMPLES);
  bind(withSettings(start, settings), async () => (await import('../commands/start.js')).start);
  const demo = root
    .command('demo')
    .description('see one task succeed and one be undone, on a store that is thrown away')
    .option('--exit', 'leave afterwards: exit code 0 if both ended as they should')
    .option('--port <number>', 'listen here (default: 7070, or the next one that is free)');
  bind(demo, async () => (await import('../demo/demo.js')).demo);
  const config = root.command('config').description('look at the settings');
  const print = config.command('print').description('each setting, its value and its source');
  bind(
    withSettings(print, settings),
    async () => (await import('../commands/read-settings.js')).configPrint,
  );
  const doctor = root
    .command('doctor')
    .description('check what Backstep needs, and how to mend it');
  bind(withSettings(doctor, settings), async () => (await import('../doctor/doctor.js')).doctor);
}

/** The option that names compiled code of one's own. */
export function executorsOption(): Option {
  const meaning = 'compiled file that exports a Nest module of executors by default';
  return new Option('--executors <file>', meaning).argParser(collect);
}

const DEV_EXAMPLES = `
Examples:
  $ backstep dev
  $ backstep dev --executors ./dist/main.js`;

const START_EXAMPLES = `
Examples:
  $ backstep start standalone --http 0.0.0.0:7070 --auth keys
  $ backstep start oss --store mongodb://db/backstep --transport amqps://user:password@broker
  $ backstep start mysql --store mongodb://db/backstep --transport amqps://user:password@broker
  $ backstep start --executors ./dist/main.js        (store and transport from BACKSTEP_...)`;

function withSettings(command: Command, settings: readonly SettingFlag[]): Command {
  for (const { flags, meaning } of settings) {
    command.addOption(new Option(flags, meaning).helpGroup(SETTINGS_HEADING));
  }
  return command;
}

/** Every setting as a flag, secrets also as the file they stand in. */
export function settingFlags(
  settings: Readonly<Record<string, SettingEntry>>,
): readonly SettingFlag[] {
  return Object.entries(settings).flatMap(([key, entry]) => {
    const { hidden, meaning } = entry;
    const name = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const flag = { flags: `--${name} <value>`, meaning: meaning + valuesOf(entry) };
    if (hidden === undefined) return [flag];
    return [flag, { flags: `--${name}-file <path>`, meaning: `file that holds --${name}` }];
  });
}

/** The words that a setting takes, and its default, as help shows those of other options. */
function valuesOf({ depends, fallback, parse }: SettingEntry): string {
  const { choices } = parse;
  const usual = depends?.replaceAll('`', '') ?? (typeof fallback === 'string' ? fallback : null);
  const known = [
    ...(choices === undefined ? [] : [`choices: ${choices.join(', ')}`]),
    ...(usual === null ? [] : [`default: ${usual}`]),
  ];
  return known.length === 0 ? '' : ` (${known.join('; ')})`;
}
