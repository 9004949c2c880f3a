import { existsSync } from 'node:fs';
import { withinLimit } from '#machine';
import { maskUrl } from '#settings';
import { broken, type Finding, ok, type Patient, reasonOf, warning } from './finding.js';

/** How long a server may take to answer, in milliseconds. */
const ANSWER_MS = 3_000;
/** Tasks live by the store's time; a machine further from it is told of. In milliseconds. */
const SKEW_MS = 2_000;

/** The store: the file is not in use, or the server answers. Nothing is written. */
export async function checkStore(patient: Patient): Promise<Finding> {
  const { store } = patient.settings;
  return store.kind === 'sqlite' ? checkFile(store.file) : checkMongo(store.url, patient);
}

/** The broker answers. */
export async function checkTransport({ clock, settings }: Patient): Promise<Finding> {
  const { transport } = settings;
  if (transport.kind === 'memory') return ok('broker', 'none is needed: messages stay in memory');
  const shown = maskUrl(transport.url);
  try {
    const { connect } = await import('amqplib');
    const connection = await withinLimit(() => Promise.resolve(connect(transport.url)), {
      clock,
      ms: ANSWER_MS,
    });
    await connection.close();
    return ok('broker', shown);
  } catch (error) {
    const fix = 'Start RabbitMQ, or check user, password and vhost in BACKSTEP_TRANSPORT.';
    return broken('broker', `${shown}: ${reasonOf(error)}`, fix);
  }
}

async function checkFile(file: string): Promise<Finding> {
  if (!existsSync(file)) return ok('store', `${file} will be created`);
  try {
    const { default: Database } = await import('libsql');
    const db = new Database(file, { readonly: true });
    try {
      db.prepare('SELECT count(*) FROM sqlite_schema').get();
    } finally {
      db.close();
    }
    return ok('store', file);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code?.startsWith('SQLITE_BUSY')) {
      return ok('store', `${file} is in use by another process, probably a running Backstep`);
    }
    const fix = 'Restore the file from a backup, or name another one with BACKSTEP_STORE.';
    return broken('store', `${file}: ${reasonOf(error)}`, fix);
  }
}

async function checkMongo(url: string, { clock }: Patient): Promise<Finding> {
  const shown = maskUrl(url);
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
    const skew = Math.max(before - theirs, theirs - clock.now());
    if (skew <= SKEW_MS) return ok('store', shown);
    const detail = `${shown}: its clock is ${Math.round(skew / 1_000)} s off this machine's`;
    return warning('store', detail, 'Keep the clocks of all machines right with NTP.');
  } catch (error) {
    const fix = 'Start MongoDB, or check host, user and password in BACKSTEP_STORE.';
    return broken('store', `${shown}: ${reasonOf(error)}`, fix);
  } finally {
    await client.close();
  }
}
