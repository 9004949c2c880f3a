import { existsSync } from 'node:fs';
import { access, constants, readdir, readFile, stat, statfs } from 'node:fs/promises';
import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { get as getByTls } from 'node:https';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { leadsIntoFile } from '#settings';
import { isFlowFileName, type Problem, validateFlowText } from '#flow-files';
import { expectSocketPlace, isFree, withinLimit } from '#machine';
import { broken, type Finding, ok, type Patient, reasonOf, warning } from './finding.js';

const NODE_MIN = [20, 19] as const;
/** No clock that is right shows less: 2025-01-01. */
const EARLIEST_MS = 1_735_689_600_000;
const MIB = 1 << 20;
const DISK_MIN = 100 * MIB;
const DISK_LOW = 1_024 * MIB;
/** How long what listens on the port may take to say what it is. */
const ANSWER_MS = 2_000;

/** An address that something listens on. */
interface Asked extends Pick<Patient, 'clock'> {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

/** A socket that something listens on. */
interface AskedSocket extends Pick<Patient, 'clock'> {
  readonly socketPath: string;
}

/** The version of Node. */
export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [needMajor, needMinor] = NODE_MIN;
  const fits = major > needMajor || (major === needMajor && minor >= needMinor);
  if (fits) return ok('node', version);
  return broken('node', version, `Install Node ${NODE_MIN.join('.')} or newer.`);
}

/** The machine's clock. In standalone leases and timeouts are times of this clock. */
export async function checkClock({ clock }: Patient): Promise<Finding> {
  const now = new Date(clock.now()).toISOString();
  if (clock.now() >= EARLIEST_MS) return ok('clock', now);
  return broken('clock', `it shows ${now}`, 'Set the clock, and keep it right with NTP.');
}

/** Whether a process could listen, or does. */
export async function checkPort({ clock, settings }: Patient): Promise<Finding> {
  const { http, tlsCert } = settings;
  if ('socket' in http) return checkSocket({ socketPath: http.socket, clock });
  const { host, port } = http;
  const where = `${host}:${port}`;
  if (port === 0 || (await isFree({ host, port }))) return ok('port', `${where} is free`);
  const scheme = tlsCert === null ? 'http' : 'https';
  const checks = await checksOf({ scheme, host, port, clock });
  if (checks !== null) return listening(where, checks);
  const fix = 'Stop what listens there, or choose another port with BACKSTEP_HTTP or --http.';
  return broken('port', `${where} is in use, and not by Backstep`, fix);
}

async function checkSocket(asked: AskedSocket): Promise<Finding> {
  const { socketPath } = asked;
  const checks = await checksOf(asked);
  if (checks !== null) return listening(socketPath, checks);
  try {
    await expectSocketPlace(socketPath);
    return ok('port', `${socketPath} is free`);
  } catch (error) {
    const fix = 'Stop what listens there, or choose another path with BACKSTEP_HTTP or --http.';
    return broken('port', reasonOf(error), fix);
  }
}

/** The folder of flow files, and every file in it. */
export async function checkFlows({ settings }: Patient): Promise<Finding> {
  const { flows } = settings;
  let files: readonly string[];
  try {
    files = (await readdir(flows)).filter(isFlowFileName);
  } catch (error) {
    const fix = 'Create the folder, or name another one with BACKSTEP_FLOWS or --flows.';
    return broken('flows', `${flows}: ${reasonOf(error)}`, fix);
  }
  const bad: { readonly file: string; readonly first: Problem }[] = [];
  for (const file of files) {
    const text = await readFile(path.join(flows, file), 'utf8').catch(() => '');
    const [first] = validateFlowText(text).problems;
    if (first !== undefined) bad.push({ file, first });
  }
  if (bad.length > 0) {
    const files = bad.map(({ file }) => path.join(flows, file)).join(' ');
    const places = bad.map(({ file, first: { column, line, message } }) => {
      return `${file}:${line}:${column}: ${message}`;
    });
    return broken('flows', `broken: ${places.join('; ')}`, `Run backstep flow validate ${files}`);
  }
  const count = `${files.length} files in ${flows}`;
  return files.length > 0 ? ok('flows', count) : warning('flows', count, 'Put flow files there.');
}

/** Whether the data folder can be written, and how much room there is. */
export async function checkDisk({ settings }: Patient): Promise<Finding> {
  const folder = nearestFolder(settings.data);
  try {
    // As a folder: a file could be written, too.
    await access(`${folder}/`, constants.W_OK);
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const detail = `${Math.floor(free / MIB)} MiB free for ${settings.data}`;
    const fix = 'Free some space, or keep the data elsewhere with BACKSTEP_DATA or --data.';
    if (free < DISK_MIN) return broken('disk', detail, fix);
    return free < DISK_LOW ? warning('disk', detail, fix) : ok('disk', detail);
  } catch (error) {
    const fix = 'Give this user the right to write there, or choose another folder with --data.';
    return broken('disk', reasonOf(error), fix);
  }
}

/** The rights of others to list the data folder or to write there; to pass through is harmless. */
const OTHERS = 0o066;

/** Whether the data folder is this user's alone, as one that Backstep makes is. */
export async function checkPrivacy({ settings: { data } }: Patient): Promise<Finding> {
  if (leadsIntoFile(data)) {
    const fix = 'Choose another folder with BACKSTEP_DATA or --data.';
    return broken('privacy', `${data} is not a folder`, fix);
  }
  if (!existsSync(data)) return ok('privacy', `${data} will be created, for this user alone`);
  const { mode } = await stat(data);
  // Windows has other rights than these.
  const isOpen = process.platform !== 'win32' && (mode & OTHERS) !== 0;
  if (!isOpen) return ok('privacy', `${data} is for this user alone`);
  const detail = `other users can look into ${data}, which holds parameters of tasks`;
  return warning('privacy', detail, `Run chmod 700 ${data}, or 711 if Prometheus reads targets/.`);
}

function nearestFolder(folder: string): string {
  let nearest = folder;
  while (!existsSync(nearest)) nearest = path.dirname(nearest);
  return nearest;
}

/** A check of the readiness of a process, as far as it is looked at. */
interface Check {
  readonly name?: unknown;
  readonly ready?: unknown;
  readonly message?: unknown;
}

function listening(where: string, checks: readonly Check[]): Finding {
  const missing = checks.filter(({ ready }) => ready === false);
  if (missing.length === 0) return ok('port', `a Backstep listens on ${where}`);
  const reasons = missing
    .map(({ message, name }) => `${String(name)}: ${String(message)}`)
    .join('; ');
  const fix = 'Mend what it names; its log says more.';
  return broken('port', `a Backstep listens on ${where}, and is not ready: ${reasons}`, fix);
}

/** The checks that a Backstep answers with; null: it is none. */
async function checksOf(asked: Asked | AskedSocket): Promise<readonly Check[] | null> {
  try {
    const ask = async (signal: AbortSignal): Promise<{ readonly checks?: unknown }> => {
      const [answer] = (await once(requestTo(asked, signal), 'response', { signal })) as [
        IncomingMessage,
      ];
      return (await json(answer)) as { readonly checks?: unknown };
    };
    const { checks } = await withinLimit(ask, { clock: asked.clock, ms: ANSWER_MS });
    return Array.isArray(checks) ? (checks as readonly Check[]) : null;
  } catch {
    return null;
  }
}

function requestTo(asked: Asked | AskedSocket, signal: AbortSignal): ClientRequest {
  if ('socketPath' in asked) return get({ socketPath: asked.socketPath, path: '/readyz', signal });
  const { host, port, scheme } = asked;
  const name = host.includes(':') ? `[${host}]` : host;
  // A listener on all addresses is asked on loopback.
  const reached = name === '0.0.0.0' || name === '[::]' ? '127.0.0.1' : name;
  // The request carries nothing secret, so any certificate is accepted.
  const order = { signal, rejectUnauthorized: false };
  return (scheme === 'http' ? get : getByTls)(`${scheme}://${reached}:${port}/readyz`, order);
}
