import { runCli } from './cli.js';
import { EXIT, Interrupted } from './exit.js';
import type { Session } from './session.js';
import { VERSION } from './version.js';

let session: Session | undefined;

function leave(reason: Interrupted): void {
  session?.abort(reason);
  if (session === undefined) process.exit(reason.exitCode);
}

/** From when a command is carried out: help and version load nothing for it. */
async function hearSignals(): Promise<void> {
  const { hearStopSignals, SystemClock } = await import('#machine');
  hearStopSignals(process, new SystemClock(), {
    stop: () => leave(new Interrupted(EXIT.interrupted)),
    again: () => process.exit(EXIT.interrupted),
  });
}

// Whoever read our output has seen enough: nothing is wrong, and nobody is left to tell.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    leave(new Interrupted(EXIT.done));
  });
}

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
      const { text } = await import('node:stream/consumers');
      return text(process.stdin);
    },
  },
});
// A pipe takes what is written one after the other: after this, everything is out.
await new Promise((resolve) => process.stdout.write('', resolve));
process.exit(code);
