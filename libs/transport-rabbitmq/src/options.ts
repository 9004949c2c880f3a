import type { Clock, Entropy, Observer } from '#ports';

/** Between heartbeats, where the URL does not say; two missed ones end a connection. */
const HEARTBEAT_SECONDS = '10';

/** Options of the RabbitMQ transport. */
export interface RabbitmqTransportOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly observer: Observer;
  /**
   * `amqp://user:password@host:port/vhost`, or `amqps://`; several are nodes of one cluster, tried
   * in this order. `?heartbeat=` has the seconds between heartbeats, 10 where it is absent. Their
   * passwords never appear in a message.
   */
  readonly urls: readonly string[];
  /** How long a publish waits for the broker's confirmation, in milliseconds. Default 5,000. */
  readonly confirmTimeoutMs?: number;
  /** Prefix of the connections' names in the broker, before their purpose. Default `backstep`. */
  readonly connectionName?: string;
  /**
   * How often a consumer looks for queues that other processes have made since, in milliseconds:
   * those of priorities above and below 0 are made with their first message. Default 2,000.
   */
  readonly findQueuesMs?: number;
  /**
   * Whether a queue without a leader is deleted and declared again. Otherwise it is only reported:
   * `queue_without_leader`. Brokers from 3.12 on have none. Default false.
   */
  readonly rebuildQueues?: boolean;
  /**
   * A consumer with nothing to do for this long subscribes again, in milliseconds. Default 5,000.
   * Brokers have lost subscriptions without a word: 3.10 does when a queue is deleted and declared
   * again at once, and then shows a consumer that is none.
   */
  readonly renewIdleMs?: number;
  /**
   * Id of the store whose tasks the messages are about. Processes with another one do not use the
   * vhost at the same time. Default null: it is not looked at.
   */
  readonly set?: string | null;
  /** A queue that answers nothing for this long is examined, in milliseconds. Default 15,000. */
  readonly silentAfterMs?: number;
  /**
   * How long opening waits for a first connection, in milliseconds. An unreachable broker is no
   * error: the transport goes on trying and tells so through `ping`. Default 1,000.
   */
  readonly waitMs?: number;
}

/** The options with every default filled in. */
export type Settings = Required<RabbitmqTransportOptions>;

/** Fills in the defaults and refuses a URL that can never work. */
export function completeOptions(options: RabbitmqTransportOptions): Settings {
  const settings = {
    confirmTimeoutMs: 5_000,
    connectionName: 'backstep',
    findQueuesMs: 2_000,
    rebuildQueues: false,
    renewIdleMs: 5_000,
    set: null,
    silentAfterMs: 15_000,
    waitMs: 1_000,
    ...options,
  };
  return { ...settings, urls: settings.urls.map(withHeartbeat) };
}

function withHeartbeat(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    // The platform's error carries the text, and with it the password.
    throw new TypeError('The broker URL cannot be read; it looks like amqp://user:password@host.');
  }
  if (url.protocol !== 'amqp:' && url.protocol !== 'amqps:') {
    throw new TypeError(`The broker URL starts with amqp: or amqps:, not ${url.protocol}`);
  }
  if (!url.searchParams.has('heartbeat')) url.searchParams.set('heartbeat', HEARTBEAT_SECONDS);
  return url.href;
}
