/**
 * `npm run stack -- up | down | status`: the distributed set as plain processes of this machine.
 * `up` returns when all of it is ready; the process it leaves behind looks after the rest.
 */
import { parseArgs } from 'node:util';
import { helpOnRequest } from '../tools/help-on-request.js';
import { bringDown, bringUp, showStatus } from './commands.js';
import { Supervisor } from './supervisor.js';

const USAGE = `usage: npm run stack -- up [--port-base 7070] | down | status [-o table|json]

up      starts broker, store, gateway and executors; those that run already are left alone
        on the usual ports where they are free; BACKSTEP_... settings go to all processes
down    stops them; what they stored stays
status  name, process id and address of each`;

// Data and logs of the set hold parameters of tasks.
process.umask(0o077);
const { values, positionals } = readArguments();
const portBase = Number(values['port-base']);
if (!(portBase > 0 && portBase < 65_531)) fail('--port-base is a port');

switch (positionals.join(' ')) {
  case 'up':
    process.exitCode = await bringUp(portBase);
    break;
  case 'down':
    process.exitCode = await bringDown();
    break;
  case 'status':
    process.exitCode = await showStatus(values.output === 'json');
    break;
  case 'supervise':
    await supervise();
    break;
  default:
    fail('up, down or status?');
}

function readArguments() {
  helpOnRequest(USAGE);
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        output: { type: 'string', short: 'o', default: 'table' },
        'port-base': { type: 'string', default: '7070' },
      },
    });
  } catch (error) {
    return fail((error as Error).message);
  }
}

/** Not for people: what `up` leaves behind. */
async function supervise(): Promise<void> {
  const supervisor = new Supervisor(portBase);
  const end = async (): Promise<void> => {
    await supervisor.stop();
    process.exit(0);
  };
  process.once('SIGTERM', () => void end());
  process.on('SIGHUP', () => {});
  process.on('SIGINT', () => {});
  try {
    await supervisor.start();
  } catch (error) {
    console.error((error as Error).message);
    await supervisor.stop();
    process.exit(1);
  }
}

function fail(message: string): never {
  console.error(`${message}\n${USAGE}`);
  process.exit(2);
}
