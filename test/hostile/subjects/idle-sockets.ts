import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expectAnswer } from '../judge.js';
import type { Subject } from '../reproduction.js';
import type { Stand } from '../stand.js';

const OPEN_FILES = 512;
const SOCKETS = 700;
const ASKED = 20;

/** A connection that says nothing; let in, kept waiting, or sent away. */
async function openIdle(url: URL): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {});
  socket.resume();
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  return socket;
}

/** Asks over a connection of its own, as a supervisor does. */
async function expectHealth(stand: Stand, path: string): Promise<void> {
  const { host } = new URL(stand.url);
  const said = await stand.exchange.raw(
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  );
  assert.match(said, /^HTTP\/1\.1 200 /, `${path}: ${said.slice(0, 200)}`);
}

/** More connections than the process may have files open. */
export const idleSockets: Subject = {
  name: 'idle sockets',
  openFiles: OPEN_FILES,
  reproductions: [
    {
      rule: 'health is answered, and work goes on, however many connections lie idle',
      sends: `${SOCKETS} connections that say nothing, with ${OPEN_FILES} files at most`,
      play: async (stand) => {
        const url = new URL(stand.url);
        const sockets = await Promise.all(Array.from({ length: SOCKETS }, () => openIdle(url)));
        try {
          for (let asked = 0; asked < ASKED; asked += 1) {
            await expectHealth(stand, '/livez');
            await expectHealth(stand, '/readyz');
          }
          // Flow files are read and versions stored with the handles that are left.
          await expectHealth(stand, '/v1/flows/lab-succeed');
        } finally {
          for (const socket of sockets) socket.destroy();
        }
        const body = { flow: 'lab-succeed' };
        await expectAnswer(stand, { path: '/v1/tasks', body }, { status: 201 });
      },
    },
  ],
};
