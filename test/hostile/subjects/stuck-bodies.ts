import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expectAnswer } from '../judge.js';
import type { Subject } from '../reproduction.js';

const CONNECTIONS = 300;
const SAID = 4_300_000;
const SENT = 4_200_000;

/** Begins a request and never ends it. Resolves when as much is sent as the other side takes. */
async function beginBody(url: URL): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  // Refused, cut off, or reset: all of these are its answer.
  socket.on('error', () => {});
  socket.resume();
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  const head = `POST /v1/tasks:batch HTTP/1.1\r\nHost: ${url.host}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${SAID}\r\n\r\n`);
  const flushed = new Promise<void>((resolve) => {
    socket.write(Buffer.alloc(SENT, '['), () => resolve());
    socket.once('close', () => resolve());
  });
  await Promise.race([flushed, once(socket, 'close').catch(() => {}), quiet()]);
  return socket;
}

/** A side that reads no more never says so. */
function quiet(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 3_000).unref());
}

/** Clients that begin and do not go on. */
export const stuckBodies: Subject = {
  name: 'stuck bodies',
  reproductions: [
    {
      rule: 'three hundred bodies that stop before their end take bounded memory',
      sends: '300 connections, each with 4.2 of 4.3 MB of a batch, then silence',
      limitMs: 180_000,
      play: async (stand) => {
        const url = new URL(stand.url);
        const sockets = await Promise.all(
          Array.from({ length: CONNECTIONS }, () => beginBody(url)),
        );
        try {
          const list = await expectAnswer(stand, { path: '/v1/tasks' }, { status: 200 });
          assert.ok(list.ms <= stand.within(1_000), `a list after ${Math.round(list.ms)} ms`);
        } finally {
          for (const socket of sockets) socket.destroy();
        }
        const body = { flow: 'lab-succeed' };
        const made = await expectAnswer(stand, { path: '/v1/tasks', body }, { status: 201 });
        assert.ok(made.ms <= stand.within(1_000), `a task after ${Math.round(made.ms)} ms`);
      },
    },
  ],
};
