import { isLoopback } from './parsers.js';
import type { Settings } from './settings.js';

/** A setting by which a password goes to another machine in clear text. */
interface ClearText {
  /** Name of the variable. */
  readonly variable: string;
  /** Words for the person who mends it. */
  readonly cure: string;
}

/**
 * The settings by which a process would send a password to another machine in clear text. Only what
 * a URL says counts: names are not resolved. A setting that is wrong by itself is undefined.
 */
export function clearTextIn(settings: Partial<Settings>): readonly ClearText[] {
  const { alertWebhook, mysqlProvider, mysqlUrl, store, transport } = settings;
  const found: ClearText[] = [];
  if (store?.kind === 'mongodb' && isClearMongo(store.url)) {
    found.push({ variable: 'BACKSTEP_STORE', cure: 'add tls=true to its options' });
  }
  if (transport?.kind === 'amqp' && transport.urls.some((url) => isClearAmqp(new URL(url)))) {
    found.push({ variable: 'BACKSTEP_TRANSPORT', cure: 'write amqps://' });
  }
  if (mysqlProvider === 'server' && mysqlUrl && isClearMysql(new URL(mysqlUrl))) {
    const cure = 'add ssl={"verifyIdentity":true} to its options';
    found.push({ variable: 'BACKSTEP_MYSQL_URL', cure });
  }
  if (alertWebhook && isClearWebhook(new URL(alertWebhook))) {
    found.push({ variable: 'BACKSTEP_ALERT_WEBHOOK', cure: 'write https://' });
  }
  return found;
}

/** The refusal of a start: one sentence, without the URL. */
export function refusalOf({ cure, variable }: ClearText): string {
  return (
    `${variable}: would send a password to another machine in clear text: ${cure}, or set ` +
    'BACKSTEP_INSECURE=on where nobody else can listen'
  );
}

/** The warning where it is allowed. */
export function warningOf({ variable }: ClearText): string {
  return `${variable} sends a password to another machine in clear text`;
}

/** A URL without a user means the login `guest` too, which everybody knows. */
function isClearAmqp({ hostname, password, protocol, username }: URL): boolean {
  const isSecret = password !== '' && !(username === 'guest' && password === 'guest');
  return protocol === 'amqp:' && isSecret && !isThisMachine(hostname);
}

/** A token often stands in the place of the user. */
function isClearWebhook({ hostname, password, protocol, username }: URL): boolean {
  return protocol === 'http:' && username + password !== '' && !isThisMachine(hostname);
}

/** Values of `ssl` that switch it off. */
const NO_SSL = /^(false|null|0)?$/;

/** The driver takes further passwords, and a socket, as options. */
function isClearMysql({ hostname, password, searchParams }: URL): boolean {
  const hasPassword =
    password !== '' || [...searchParams.keys()].some((name) => /^password./.test(name));
  const isTls = !NO_SSL.test(searchParams.get('ssl') ?? '');
  return hasPassword && !isTls && !searchParams.has('socketPath') && !isThisMachine(hostname);
}

/** As the driver takes it apart: a list of hosts is no URL. */
const MONGO = /^mongodb(\+srv)?:\/\/(?:[^:@]*(?::([^@]*))?@)?([^/?@]*)[^?]*(?:\?(.*))?$/s;

function isClearMongo(url: string): boolean {
  const [, srv, password = '', hosts = '', options = ''] = MONGO.exec(url) ?? [];
  if (password === '' || hosts.split(',').every(isThisMachine)) return false;
  const written = [...new URLSearchParams(options)]
    .filter(([name]) => /^(tls|ssl)$/i.test(name))
    .map(([, value]) => value);
  if (written.length === 0) return srv === undefined;
  return !written.every((value) => value === 'true');
}

/** Whether a host, perhaps with a port, is this machine; `%2F` begins the path of a socket. */
export function isThisMachine(host: string): boolean {
  const [, address, name = ''] = /^(?:\[(.*)\]|([^:]*))(?::\d*)?$/.exec(host) ?? [];
  return isLoopback(address ?? name) || /^%2f/i.test(name);
}
