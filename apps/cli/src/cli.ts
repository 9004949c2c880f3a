import type { Command } from 'commander';
import { readUrl } from './client/backstep-url.js';
import { errorWriter } from './error-writer.js';
import { CliError, EXIT, type ExitCode } from './exit.js';
import type { Format, GlobalOptions, Session } from './session.js';
import type { Terminal } from './terminal/terminal.js';
import { buildTree } from './tree/build-tree.js';
import { type Action, DRAWINGS, readDuration } from './tree/call.js';
import { withHelp, withWait } from './tree/help-words.js';
import { SETTING_COMMANDS, type SettingFlag, settingFlags } from './tree/process-tree.js';

/** Commands that run until they are told to stop, so that there is nothing to give up. */
const RUNS_ON: ReadonlySet<string> = new Set(['dev', 'start', 'worker']);

/** Options for running a command line. */
interface CliOptions {
  readonly terminal: Terminal;
  readonly version: string;
  /** Called with the session, so that signals can end it. */
  readonly onSession?: (session: Session) => void;
}

/** Runs one command line, without the names of the programs. Resolves to its exit code. */
export async function runCli(argv: readonly string[], options: CliOptions): Promise<ExitCode> {
  const { terminal, version } = options;
  let code: ExitCode = EXIT.done;
  const errors = errorWriter(argv, terminal.stderr);
  const root = buildTree({
    terminal,
    writeUsage: (text) => errors.writeUsage(text),
    version,
    settings: await settingsFor(argv),
    bind: (command, load) => {
      command.action(async () => {
        code = await runCommand(command, await load(), { options, root });
      });
    },
  });
  try {
    await root.parseAsync([...withHelp(withWait(argv), root)], { from: 'user' });
    return code;
  } catch (error) {
    return errors.write(error);
  }
}

async function runCommand(
  command: Command,
  action: Action,
  { options, root }: { readonly options: CliOptions; readonly root: Command },
): Promise<ExitCode> {
  const written = command.optsWithGlobals<Record<string, unknown>>();
  // It brings the client along, which help and version do without.
  const { Session } = await import('./session.js');
  const { cwd } = options.terminal;
  const session = new Session(options.terminal, globalOptions(written, command, cwd));
  options.onSession?.(session);
  try {
    const code = await action(session, { args: command.processedArgs, options: written, root });
    return code ?? EXIT.done;
  } catch (error) {
    // Whatever else an aborted session fails with is an echo of why it was aborted.
    if (session.signal.aborted && !(error instanceof CliError)) throw session.signal.reason;
    throw error;
  } finally {
    session.close();
  }
}

/** Loading the settings takes a while, and most commands take none. */
async function settingsFor(argv: readonly string[]): Promise<readonly SettingFlag[]> {
  const needed = !argv.includes('task') && argv.some((word) => SETTING_COMMANDS.has(word));
  return needed ? settingFlags((await import('#settings')).SETTINGS) : [];
}

function globalOptions(
  written: Readonly<Record<string, unknown>>,
  command: Command,
  cwd: string,
): GlobalOptions {
  const output = String(written['output']);
  const isDrawing = DRAWINGS.has(output);
  if (isDrawing && command.name() !== 'draw') {
    throw new CliError(EXIT.usage, `only drawings are written as ${output}`);
  }
  const asked = String(written['url']);
  const url = readUrl(asked, cwd);
  if (url === null) {
    const wanted = 'an http:// or https:// URL, or unix:<path>';
    throw new CliError(EXIT.usage, `"${asked}" is not ${wanted} (--url or BACKSTEP_URL)`);
  }
  const { timeout } = written;
  const isOfRoot = command.parent?.parent === null;
  if (timeout !== undefined && isOfRoot && RUNS_ON.has(command.name())) {
    const sentence = `--timeout has no use: ${command.name()} runs until it is told to stop`;
    throw new CliError(EXIT.usage, sentence);
  }
  return {
    url,
    output: isDrawing ? 'table' : (output as Format),
    color: written['color'] !== false,
    quiet: written['quiet'] === true,
    verbose: written['verbose'] === true,
    timeout: typeof timeout === 'string' ? readDuration(timeout, '--timeout') : undefined,
  };
}
