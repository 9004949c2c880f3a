import { createRequire } from 'node:module';
import { Duplex } from 'node:stream';
import { expect, it } from '@jest/globals';
import type { ChannelModel } from 'amqplib';
import { dropSocket, joinWrites } from './amqplib.js';

interface Connection {
  /** Writes one frame. */
  sendHeartbeat(): void;
}

const require = createRequire(import.meta.url);
const folder = require.resolve('amqplib').replace(/channel_api\.js$/, 'lib/');
const { Connection } = require(`${folder}connection.js`) as {
  readonly Connection: new (stream: Duplex) => Connection;
};
const { ChannelModel: Model } = require(`${folder}channel_model.js`) as {
  readonly ChannelModel: new (connection: Connection) => ChannelModel;
};

function connected(): {
  model: ChannelModel;
  connection: Connection;
  stream: Duplex;
  at: number[];
} {
  const at: number[] = [];
  const stream = new Duplex({
    read: () => undefined,
    write: (_chunk, _encoding, done) => (at.push(1), done()),
    writev: (chunks, done) => (at.push(chunks.length), done()),
  });
  const connection = new Connection(stream);
  return { model: new Model(connection), connection, stream, at };
}

it('frames of one turn leave with one write', () => {
  const { at, connection, model } = connected();
  joinWrites(model);
  for (let sent = 0; sent < 3; sent += 1) connection.sendHeartbeat();
  expect(at).toEqual([]);
  return new Promise<void>((resolve) => {
    process.nextTick(() => {
      expect(at).toEqual([3]);
      resolve();
    });
  });
});

it('the socket of a connection is let go of', () => {
  const { model, stream } = connected();
  dropSocket(model);
  expect(stream.destroyed).toBe(true);
});
