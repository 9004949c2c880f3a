import type { Channel, ChannelModel } from 'amqplib';
import { closeQuietly } from './channel-keeper.js';

/** Nothing is sent to this exchange: its arguments say whose vhost it is. */
export const SET_EXCHANGE = 'backstep.set';

/** How often a mark is made again that went away while it was made. */
const TRIES = 3;

const NOT_FOUND = 404;
const PRECONDITION_FAILED = 406;

/** Another set of processes uses the vhost: each would take the other one's messages. */
export class VhostTaken extends Error {
  override readonly name = 'VhostTaken';

  constructor() {
    super(
      'The vhost of the broker is in use by processes with another store, which would take these ' +
        'messages. Give each set of processes a vhost of its own in BACKSTEP_TRANSPORT; if the ' +
        'store is new, stop the processes of the old one first',
    );
  }
}

/** A connection's part of a mark. */
interface Mark {
  /** Id of the store. */
  readonly set: string;
  /** Id of the connection, which no other one has. */
  readonly holder: string;
}

/**
 * Marks the vhost as that of a set, for as long as this connection is open. All processes of a set
 * hold one mark: an exchange that the broker removes with the last queue bound to it, and a queue
 * of each connection that it removes with the connection. Throws {@link VhostTaken} while processes
 * of another set hold theirs.
 */
export async function markVhost(model: ChannelModel, mark: Mark): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const code = await codeOf(model, (channel) => hold(channel, mark));
    if (code === null) return;
    if (code === PRECONDITION_FAILED && !(await isLeftOver(model))) throw new VhostTaken();
    if (tries === TRIES) throw new Error(`the broker refused the mark of the set: ${code}`);
  }
}

async function hold(channel: Channel, { holder, set }: Mark): Promise<void> {
  await channel.assertExchange(SET_EXCHANGE, 'fanout', {
    autoDelete: true,
    durable: false,
    // The broker compares it; there is no such exchange.
    alternateExchange: `${SET_EXCHANGE}.${set}`,
  });
  const queue = `${SET_EXCHANGE}.${holder}`;
  await channel.assertQueue(queue, { durable: false, exclusive: true });
  await channel.bindQueue(queue, SET_EXCHANGE, '');
}

/** A process that ended right before its queue was bound left a mark that nobody holds. */
async function isLeftOver(model: ChannelModel): Promise<boolean> {
  const remove = (channel: Channel): Promise<unknown> =>
    channel.deleteExchange(SET_EXCHANGE, { ifUnused: true });
  const code = await codeOf(model, remove);
  return code === null || code === NOT_FOUND;
}

/** The code with which the broker refused it, which ends its channel; null: it did not. */
async function codeOf(
  model: ChannelModel,
  work: (channel: Channel) => Promise<unknown>,
): Promise<number | null> {
  const channel = await model.createChannel();
  channel.on('error', () => undefined);
  try {
    await work(channel);
    return null;
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (typeof code !== 'number') throw error;
    return code;
  } finally {
    void closeQuietly(channel);
  }
}
