import { Duplex } from 'node:stream';
import type { ChannelModel } from 'amqplib';

/** How much may wait to be written before the driver holds back: what one system call can take. */
export const WRITE_AHEAD_BYTES = 131_072;

/**
 * Writes what one turn of the driver sends with one system call. The driver writes each frame by
 * itself, and with small messages those calls cost more than everything else together.
 */
export function joinWrites(model: ChannelModel): void {
  const socket = socketOf(model);
  if (socket === null) return;
  const write = socket.write.bind(socket) as (...parts: unknown[]) => boolean;
  let corked = false;
  const uncork = (): void => {
    corked = false;
    socket.uncork();
  };
  socket.write = (...parts: unknown[]): boolean => {
    if (!corked) {
      corked = true;
      socket.cork();
      process.nextTick(uncork);
    }
    return write(...parts);
  };
}

/**
 * Lets go of a connection's socket. A connection that has ended for the driver may still hold one
 * into a black hole, and a connection that never ended a heartbeat timer; either would keep the
 * process alive.
 */
export function dropSocket(model: ChannelModel): void {
  // The driver tells the end that follows as an error, and one that nobody hears would be thrown.
  model.on('error', () => undefined);
  const socket = socketOf(model);
  socket?.on('error', () => undefined);
  socket?.destroy(new Error('The connection is let go.'));
}

/** amqplib has no public way to the socket; null where a later version keeps it elsewhere. */
function socketOf(model: ChannelModel): Duplex | null {
  const { stream } = model.connection as { readonly stream?: unknown };
  return stream instanceof Duplex ? stream : null;
}
