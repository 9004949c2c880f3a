import assert from 'node:assert/strict';
import { expectAnswer, request } from '../judge.js';
import type { Sent } from '../exchange.js';
import type { Reproduction, Subject } from '../reproduction.js';

const FOREIGN_HOST = { host: 'evil.example' };
const CREATE: Sent = { path: '/v1/tasks', body: { flow: 'lab-succeed' } };

/** Reads and writes that a page must not reach, wherever in the process they are answered. */
const TARGETS: readonly Sent[] = [
  CREATE,
  { path: '/v1/tasks' },
  { path: '/v1/flows' },
  { path: '/v1/tasks/01900000-0000-7000-8000-000000000000:terminate', body: { reason: 'evil' } },
  { path: '/modules/resource/hosts' },
  { path: '/metrics' },
  { path: '/openapi.json' },
  { path: '/docs' },
];

const PAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'the origin of another site': { origin: 'http://evil.example' },
  'an origin that is hidden': { origin: 'null' },
  'the origin of another port': { origin: 'http://127.0.0.1:1' },
  'the word that it crosses sites': { 'sec-fetch-site': 'cross-site' },
  'the word that it stays in the same site': { 'sec-fetch-site': 'same-site' },
};

const nameOf = ({ body, path }: Sent): string => `${body === undefined ? 'GET' : 'POST'} ${path}`;

const wrongHosts = TARGETS.map((sent): Reproduction =>
  request(
    {
      rule: `a name that was rebound to this machine reaches nothing: ${nameOf(sent)}`,
      sends: `${nameOf(sent)} with Host: evil.example`,
    },
    { ...sent, headers: FOREIGN_HOST },
    { status: 421, code: 'WRONG_HOST' },
  ),
);

const foreignOrigins = Object.entries(PAGES).map(([what, headers]): Reproduction => ({
  rule: `a page of another site reaches nothing: ${what}`,
  sends: `every kind of request with ${JSON.stringify(headers)}`,
  play: async (stand) => {
    for (const sent of TARGETS) {
      const wanted = { status: 403, code: 'FOREIGN_ORIGIN' };
      await expectAnswer(stand, { ...sent, headers }, wanted).catch((error: Error) => {
        throw new Error(`${nameOf(sent)}: ${error.message}`);
      });
    }
  },
}));

/** Requests that a browser would send for a foreign page. */
export const foreignPages: Subject = {
  name: 'foreign pages',
  reproductions: [
    ...wrongHosts,
    ...foreignOrigins,
    {
      rule: 'the pages of this machine reach everything',
      sends: 'requests with Host and Origin of the listener, by each of its names',
      play: async (stand) => {
        const { host, origin, port } = new URL(stand.url);
        for (const name of [host, `localhost:${port}`, `[::1]:${port}`]) {
          const headers = { host: name, origin: `http://${name}`, 'sec-fetch-site': 'same-origin' };
          await expectAnswer(stand, { path: '/v1/tasks', headers }, { status: 200 });
        }
        const headers = { origin, 'sec-fetch-site': 'same-origin' };
        await expectAnswer(stand, { ...CREATE, headers }, { status: 201 });
        await expectAnswer(
          stand,
          { ...CREATE, headers: { 'sec-fetch-site': 'none' } },
          { status: 201 },
        );
      },
    },
    {
      rule: 'a request that names two hosts is refused',
      sends: 'GET /v1/tasks with two Host headers',
      play: async (stand) => {
        const { host } = new URL(stand.url);
        const hosts = `Host: ${host}\r\nHost: evil.example\r\n`;
        const answer = await stand.exchange.raw(
          `GET /v1/tasks HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`,
        );
        assert.match(answer, /^HTTP\/1\.1 4(00|21) /, answer.slice(0, 100));
      },
    },
  ],
};
