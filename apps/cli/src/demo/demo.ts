import { once } from 'node:events';
import { isFree, nextFreePort } from '#machine';
import { addressLines } from '../commands/addresses.js';
import { readNumber } from '../commands/parameters.js';
import { CliError, EXIT, type ExitCode, Interrupted } from '../exit.js';
import type { Session } from '../session.js';
import { type Call, textOption } from '../tree/call.js';
import { type DemoServer, openDemoServer } from './demo-server.js';
import { runScenes } from './scenes.js';

/** Where the demo listens, if nothing else does. */
const PORT = 7070;

const PORT_MAX = 65_535;

const HOST = '127.0.0.1';

/** `demo`: one task that succeeds, one that is undone, then Backstep to play with. */
export async function demo(session: Session, call: Call): Promise<ExitCode> {
  const asked = readNumber(textOption(call, 'port'), '--port');
  if (asked !== undefined && (asked < 0 || asked > PORT_MAX)) {
    throw new CliError(EXIT.usage, `--port "${asked}": must be from 0 to ${PORT_MAX}`);
  }
  const port = await findPort(asked ?? PORT, { others: asked === undefined });
  session.limit();
  session.say(`Starting Backstep on port ${port}, on a store that is thrown away at the end ...`);
  const server = await openDemoServer(port, session.options.verbose ? 'info' : 'error');
  try {
    session.signal.throwIfAborted();
    const undone = await runScenes(session, session.client(server.url), server);
    const stays = call.options['exit'] !== true;
    session.say(
      `\nBackstep ${stays ? 'stays' : 'ends now. Without --exit it stays'} up until Ctrl-C.`,
    );
    sayGoodbye(session, server, undone);
    return stays ? await untilTold(session) : EXIT.done;
  } finally {
    await server.close();
  }
}

function sayGoodbye(session: Session, { folder, url }: DemoServer, undone: string): void {
  session.say('The task that was undone, drawn in the browser:');
  session.say(`  ${url}/console/tasks/${undone}`);
  session.say(
    '\nMake a step fail, go slowly or crash: pick it in the graph of a flow, then start:',
  );
  session.say(`  ${url}/console/flows/create-db-instance`);
  session.say('\nAll there is:');
  for (const line of addressLines(url)) session.say(line);
  session.say(`  Data      ${folder} (removed at the end)`);
  session.say('\nTry in another terminal, from this folder:');
  for (const command of NEXT) session.say(`  ${session.typed(command, url)}`);
}

const NEXT = [
  'task list',
  'task start lab-graph --watch',
  'task start lab-fail-last --watch',
  'task start lab-rollback-fails --watch',
  'resource hosts',
];

/** Ctrl-C is how a demo is meant to end. */
async function untilTold(session: Session): Promise<ExitCode> {
  const { signal } = session;
  if (!signal.aborted) {
    // A signal's listener does not keep a process alive, but the listening server does.
    await once(signal, 'abort');
  }
  const { reason } = signal;
  if (reason instanceof Interrupted || reason instanceof CliError) return EXIT.done;
  throw reason;
}

/** The port itself if it is free, else, if `others` will do, the next one that is. */
async function findPort(port: number, { others }: { readonly others: boolean }): Promise<number> {
  const place = { host: HOST, port };
  const found = others ? await nextFreePort(place) : (await isFree(place)) ? port : null;
  if (found !== null) return found;
  throw new CliError(EXIT.endedOtherwise, `port ${port} is in use`, 'Choose another with --port.');
}
