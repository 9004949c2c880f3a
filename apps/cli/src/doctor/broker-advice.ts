import type { BrokerFault } from '#transport-rabbitmq';

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

/** Advice on connections that fail with a code of the network, of TLS, or of AMQP. */
const BY_CODE: Readonly<Record<string, string>> = {
  403: 'Check user and password in BACKSTEP_TRANSPORT.',
  530: 'Check the vhost in BACKSTEP_TRANSPORT, and permissions and limits of user and vhost.',
  ECONNREFUSED: 'Start RabbitMQ, or check host and port in BACKSTEP_TRANSPORT.',
  ENOTFOUND: 'Check the host name in BACKSTEP_TRANSPORT.',
  EAI_AGAIN: 'Check the host name in BACKSTEP_TRANSPORT, and the name server.',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'The certificate of the broker is for other names: use one of them as the host.',
  CERT_HAS_EXPIRED: 'Renew the certificate of the broker.',
  CERT_NOT_YET_VALID: 'Check the clock of this machine, and the certificate of the broker.',
};

const TRUST =
  'Name the authority that signed the certificate of the broker in NODE_EXTRA_CA_CERTS.';
const NO_TLS = 'The port does not speak TLS: name the port for it, mostly 5671, or write amqp://.';
const PERHAPS_TLS =
  'Look at the log of the broker. If the port speaks TLS, write amqps:// in BACKSTEP_TRANSPORT.';
const START = 'Start RabbitMQ, or check BACKSTEP_TRANSPORT and the network.';

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
  const text = `${String(code)} ${message}`;
  if (/SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|self-signed/.test(text)) return TRUST;
  if (/EPROTO|ERR_SSL|wrong version number|packet length too long/.test(text)) return NO_TLS;
  return /abruptly|ECONNRESET|Unexpected close/.test(text) ? PERHAPS_TLS : START;
}

/** An error of the network has a text as its code, one of the broker a number. */
function codedIn(error: unknown): { readonly code?: unknown; readonly message?: string } {
  return error instanceof Error ? error : {};
}
