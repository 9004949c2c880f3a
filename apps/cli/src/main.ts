import { CliError, EXIT, type ExitCode, Interrupted } from './exit.js';
import type { Session } from './session.js';
import { VERSION } from './version.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

let session: Session | undefined;

/** Nothing has begun yet, or the sender does not want to wait. */
function endAtOnce(): never {
  process.exit(EXIT.interrupted);
}

for (const signal of SIGNALS) process.on(signal, endAtOnce);

function leave(reason: Interrupted): void {
  session?.abort(reason);
  if (session === undefined) process.exit(reason.exitCode);
}

/** From when a command is carried out: help and version load nothing for it. */
async function hearSignals(): Promise<void> {
  const { hearStopSignals, SystemClock } = await import('#machine');
  hearStopSignals(process, new SystemClock(), {
    stop: () => leave(new Interrupted(EXIT.interrupted)),
    again: endAtOnce,
  });
  for (const signal of SIGNALS) process.off(signal, endAtOnce);
}

/** Set: what the command had to say is lost, and why. */
let lost: CliError | undefined;

// Whoever read our output has seen enough: nothing is wrong, and nobody is left to tell.
function leaveReader({ code }: NodeJS.ErrnoException): boolean {
  if (code === 'EPIPE') leave(new Interrupted(EXIT.done));
  return code === 'EPIPE';
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (leaveReader(error) || lost !== undefined) return;
  lost = new CliError(EXIT.unwritten, `the output cannot be written: ${error.message}`);
  session?.abort(lost);
});
// Words for people: without them a command is what it was.
process.stderr.on('error', leaveReader);

/** The exit code; an answer that is lost is told of where nothing else was. */
async function codeOf(code: ExitCode): Promise<ExitCode> {
  if (lost === undefined || code !== EXIT.done) return code;
  const { errorWriter } = await import('./error-writer.js');
  return errorWriter(process.argv.slice(2), process.stderr).write(lost);
}

// Only now: a signal that arrives while the command line is loaded is heard.
const { runCli } = await import('./cli.js');
const code = await runCli(process.argv.slice(2), {
  version: VERSION,
  onSession: (started) => {
    session = started;
    void hearSignals();
  },
  terminal: {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    readStdin: async () => {
      const { buffer } = await import('node:stream/consumers');
      const { fileText, NotUtf8 } = await import('#json');
      const { abortable } = await import('#machine');
      try {
        const { signal } = session!;
        return fileText(await abortable(buffer(process.stdin), signal));
      } catch (error) {
        if (!(error instanceof NotUtf8)) throw error;
        throw new CliError(EXIT.usage, `standard input cannot be read: ${error.code}`);
      }
    },
  },
});
// A pipe takes what is written one after the other: after this, everything is out.
await new Promise((resolve) => process.stdout.write('', resolve));
process.exit(await codeOf(code));
