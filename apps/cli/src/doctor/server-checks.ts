import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isFlowFileName } from '#flow-files';
import { SystemEntropy, withinLimit } from '#machine';
import { leadsIntoFile, maskUrl, maskUrls, type Settings } from '#settings';
import type { BrokerFault } from '#transport-rabbitmq';
import { adviceOnTls } from '../tls-advice.js';
import { broken, type Finding, ok, type Patient, reasonOf, warning } from './finding.js';

/** How long a server may take to answer, in milliseconds. */
const ANSWER_MS = 3_000;

/** Tasks live by the store's time; a machine further from it is told of. In milliseconds. */
const SKEW_MS = 2_000;

const MODULE_NAME = /"module"\s*:\s*"([^"\\]+)"/g;
const RESTORE = 'Stop all processes of the set, and restore the database.';
const MAKE_ANEW =
  'The next start of a process makes it, as after an upgrade. If it was dropped with documents, ' +
  'restore the database.';
const OTHER_VERSION = 'Use the version that wrote it, or another file with BACKSTEP_STORE.';
const OWN_VHOST = 'Name another vhost in BACKSTEP_TRANSPORT, or stop the other processes.';

const ALLOW =
  'Give the user the permissions of docs/rabbitmq.md: rabbitmqctl set_permissions -p <vhost> ' +
  '<user> <configure> <write> <read>.';

const MAKE = 'Let an administrator make it as in docs/rabbitmq.md, or let this user configure it.';

const MAKE_AGAIN =
  'Compare its arguments and policies with docs/rabbitmq.md. To make it anew stop the processes ' +
  'and delete it: its messages are sent again.';

const FIXES: Readonly<Record<Exclude<BrokerFault['kind'], 'unreachable'>, string>> = {
  taken: OWN_VHOST,
  alarm: 'Free memory or disk on the broker: rabbitmqctl status lists its alarms.',
  permission: ALLOW,
  silent: 'Look at the log of the broker, and at rabbitmqctl cluster_status and list_queues.',
  missing: MAKE,
  different: MAKE_AGAIN,
};

/** Advice on connections that fail with a code of the network or of AMQP. */
const BY_CODE: Readonly<Record<string, string>> = {
  403: 'Check user and password in BACKSTEP_TRANSPORT.',
  530: 'Check the vhost in BACKSTEP_TRANSPORT, and permissions and limits of user and vhost.',
  ECONNREFUSED: 'Start RabbitMQ, or check host and port in BACKSTEP_TRANSPORT.',
  ENOTFOUND: 'Check the host name in BACKSTEP_TRANSPORT.',
  EAI_AGAIN: 'Check the host name in BACKSTEP_TRANSPORT, and the name server.',
};

const BROKER_TLS = {
  name: 'the broker',
  instead: 'name the port for it, mostly 5671, or write amqp://',
};

const MONGO_TLS = {
  name: 'MongoDB',
  instead: 'leave tls=true out of BACKSTEP_STORE, or set MongoDB up for TLS',
};

const PERHAPS_TLS =
  'Look at the log of the broker. If the port speaks TLS, write amqps:// in BACKSTEP_TRANSPORT.';

const START = 'Start RabbitMQ, or check BACKSTEP_TRANSPORT and the network.';

/** The store: the file is not in use, or the server answers. Nothing is written. */
export async function checkStore(patient: Patient): Promise<Finding> {
  const { store } = patient.settings;
  return store.kind === 'sqlite' ? checkFile(store.file) : checkMongo(store.url, patient);
}

/** The broker does what a process asks of it. */
export async function checkTransport({ clock, settings }: Patient): Promise<Finding> {
  const { transport } = settings;
  if (transport.kind === 'memory') return ok('broker', 'none is needed: messages stay in memory');
  const { urls } = transport;
  const shown = maskUrls(urls);
  const { examineBroker } = await import('#transport-rabbitmq');
  const [set, modules] = await Promise.all([storeIdOf(settings.store), modulesIn(settings.flows)]);
  const entropy = new SystemEntropy();
  const faults = await examineBroker({ clock, entropy, modules, set, urls });
  if (faults.length === 0) return ok('broker', shown);
  const detail = `${shown}: ${faults.map((fault) => fault.detail).join('; ')}`;
  const fix = [...new Set(faults.map(adviceFor))].join(' ');
  const away = faults.filter(({ kind }) => kind === 'unreachable').length;
  const isPassing = ({ kind }: BrokerFault): boolean =>
    kind === 'unreachable' || kind === 'different';
  // One node of a cluster is enough, and a queue that was made otherwise works.
  const isWarning = away < urls.length && faults.every(isPassing);
  return isWarning ? warning('broker', detail, fix) : broken('broker', detail, fix);
}

/** Modules that flow files name; what cannot be read is told of by the check of the flows. */
async function modulesIn(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch(() => []);
  const texts = files.filter(isFlowFileName).map((file) => {
    return readFile(path.join(folder, file), 'utf8').catch(() => '');
  });
  const names = (await Promise.all(texts)).flatMap((text) => {
    return [...text.matchAll(MODULE_NAME)].map(([, name = '']) => name);
  });
  return [...new Set(names)].toSorted();
}

/** Null where it cannot be told: the check of the store tells why. */
async function storeIdOf(store: Settings['store']): Promise<string | null> {
  if (store.kind === 'sqlite') return null;
  const { examineDatabase } = await import('#store-mongo');
  const { MongoClient } = await import('mongodb');
  try {
    const client = new MongoClient(store.url, { serverSelectionTimeoutMS: ANSWER_MS });
    try {
      return (await examineDatabase(client, store.url)).id;
    } finally {
      await client.close();
    }
  } catch {
    return null;
  }
}

async function checkFile(file: string): Promise<Finding> {
  const folder = path.dirname(file);
  if (leadsIntoFile(folder)) {
    const fix = 'Name another file with BACKSTEP_STORE, or another folder with BACKSTEP_DATA.';
    return broken('store', `${folder} is not a folder`, fix);
  }
  if (!existsSync(file)) return ok('store', `${file} will be created`);
  const { examineStoreFile } = await import('#store-sqlite');
  const { kind, message } = examineStoreFile(file);
  if (kind === 'sound') return ok('store', file);
  if (kind === 'partly') return ok('store', `${file}, which is too large to be checked whole`);
  if (kind === 'busy') {
    return ok('store', `${file} is in use by another process, probably a running Backstep`);
  }
  if (kind === 'foreign') return broken('store', `${file} ${message}`, OTHER_VERSION);
  const restore =
    'Empty its folder and restore a backup, or name another file with BACKSTEP_STORE.';
  const fix = 'Let this user read it, or name another file with BACKSTEP_STORE.';
  const isDamaged = kind === 'damaged';
  const detail = isDamaged ? `${file} is damaged: ${message}` : `${file}: ${message}`;
  return broken('store', detail, isDamaged ? restore : fix);
}

async function checkMongo(url: string, { clock }: Patient): Promise<Finding> {
  const shown = maskUrl(url);
  const { examineDatabase } = await import('#store-mongo');
  const { MongoClient } = await import('mongodb');
  let client: InstanceType<typeof MongoClient>;
  try {
    client = new MongoClient(url, { serverSelectionTimeoutMS: ANSWER_MS });
  } catch {
    // The driver quotes what it cannot read, which may be a part of a password.
    const fix = 'Percent-encode special characters in user and password, and check the options.';
    return broken('store', `${shown}: is not a valid URL of MongoDB`, fix);
  }
  try {
    const before = clock.now();
    const hello = await withinLimit(() => client.db().command({ hello: 1 }), {
      clock,
      ms: 2 * ANSWER_MS,
    });
    const theirs = hello['localTime'] instanceof Date ? hello['localTime'].getTime() : before;
    const { harm, lacks } = await examineDatabase(client, url);
    if (harm !== null) return broken('store', `${shown} is damaged: ${harm}`, RESTORE);
    if (lacks !== null) return warning('store', `${shown}: ${lacks}`, MAKE_ANEW);
    const skew = Math.max(before - theirs, theirs - clock.now());
    if (skew <= SKEW_MS) return ok('store', shown);
    const detail = `${shown}: its clock is ${Math.round(skew / 1_000)} s off this machine's`;
    return warning('store', detail, 'Keep the clocks of all machines right with NTP.');
  } catch (error) {
    const start = 'Start MongoDB, or check host, user and password in BACKSTEP_STORE.';
    const fix = adviceOnTls(error, MONGO_TLS) ?? start;
    return broken('store', `${shown}: ${reasonOf(error)}`, fix);
  } finally {
    await client.close();
  }
}

/** Advice on how to mend what an examination of a broker found. */
export function adviceFor({ error, kind }: Pick<BrokerFault, 'error' | 'kind'>): string {
  return kind === 'unreachable' ? adviceOnConnecting(error) : FIXES[kind];
}

function adviceOnConnecting(error: unknown): string {
  const { code, message = '' } = codedIn(error);
  const known = BY_CODE[String(code)];
  if (known !== undefined) return known;
  // A login that is refused has no code of its own with the driver.
  if (/ACCESS.REFUSED/.test(message)) return BY_CODE['403'] ?? START;
  const onTls = adviceOnTls(error, BROKER_TLS);
  if (onTls !== null) return onTls;
  const isCutOff = /abruptly|ECONNRESET|Unexpected close/.test(`${String(code)} ${message}`);
  return isCutOff ? PERHAPS_TLS : START;
}

/** An error of the network has a text as its code, one of the broker a number. */
function codedIn(error: unknown): { readonly code?: unknown; readonly message?: string } {
  return error instanceof Error ? error : {};
}
