import { runCli } from './cli.js';
import type { ExitCode } from './exit.js';
import type { Session } from './session.js';
import type { Output, Terminal } from './terminal/terminal.js';

/** The output of a command line, and its exit code. */
export interface CliRun {
  readonly code: ExitCode;
  readonly stdout: string;
  readonly stderr: string;
}

/** How to run it, where the usual is not right. */
interface CliRunOptions {
  readonly env?: Terminal['env'];
  readonly cwd?: string;
  readonly stdin?: string;
  readonly isTTY?: boolean;
  /** The same of standard error alone. */
  readonly isErrTTY?: boolean;
  readonly onSession?: (session: Session) => void;
}

/** Runs a command line in this process. */
export async function run(argv: readonly string[], options: CliRunOptions = {}): Promise<CliRun> {
  const written = { stdout: '', stderr: '' };
  const { isTTY = false, isErrTTY = isTTY } = options;
  const output = (name: 'stdout' | 'stderr'): Output => ({
    isTTY: name === 'stdout' ? isTTY : isErrTTY,
    columns: 80,
    rows: 24,
    write: (text) => (written[name] += text),
  });
  const code = await runCli(argv, {
    version: '1.2.3',
    terminal: {
      stdout: output('stdout'),
      stderr: output('stderr'),
      env: options.env ?? {},
      cwd: options.cwd ?? import.meta.dirname,
      readStdin: async () => options.stdin ?? '',
    },
    ...(options.onSession && { onSession: options.onSession }),
  });
  return { code, ...written };
}
