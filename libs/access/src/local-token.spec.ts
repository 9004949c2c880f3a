import { beforeEach, describe, expect, it } from '@jest/globals';
import { Callers } from './callers.js';
import { connectionEnd, LINK_MS, LocalToken, localTokenText, NONCE_MS } from './local-token.js';

const NOW = Date.UTC(2026, 6, 1);
const HOUR_MS = 3_600_000;
const TEXT = localTokenText('t'.repeat(43));

let now: number;
let count: number;

beforeEach(() => {
  now = NOW;
  count = 0;
});

function tokenOf(text = TEXT, userName = 'alice'): LocalToken {
  const newSecret = (): string => `${(count += 1)}`.padStart(43, 's');
  return new LocalToken({ token: text, userName, clock: { now: () => now }, newSecret });
}

describe('the token of a machine', () => {
  it('lets its owner do everything, in the name of the user', () => {
    expect(tokenOf().find(TEXT)).toEqual({
      name: 'alice',
      role: 'admin',
      flows: null,
      labels: null,
      modules: null,
      keyId: 'local#alice',
    });
  });

  it.each([
    '',
    'bst_',
    TEXT.slice(0, -1),
    `${TEXT}x`,
    localTokenText('T'.repeat(43)),
    `bsk_0123456789abcdef_${'x'.repeat(43)}`,
    'a.jwt.text',
  ])('is not %j', (text) => {
    expect(tokenOf().find(text)).toBeNull();
  });

  it.each(['', 'backstep', 'system', 'api', 'two words', 'ä', '-x', 'oss-0123abcd'])(
    'does not name somebody %j, who could be taken for another',
    (userName) => {
      expect(tokenOf(TEXT, userName).find(TEXT)?.name).toBe('local');
    },
  );

  it('is all that is taken, where it is', async () => {
    const local = tokenOf();
    const clock = { now: () => now };
    const callers = new Callers({ keys: null, tokens: null, local, clock });
    expect(callers.wants).toBe('the token in the file `token` of its data folder');
    expect(callers.needsIssuer).toBe(false);
    expect(callers.find('')).toBeNull();
    const owner = await callers.find(TEXT);
    expect(owner?.name).toBe('alice');
    expect(await callers.isGood(owner!)).toBe(true);
    expect(callers.find('bss_v1.x.y')).toBeNull();
    expect((await callers.keep(TEXT, owner!)).cookie).not.toContain(TEXT);
  });
});

describe('a link that signs in', () => {
  it('is good once', () => {
    const token = tokenOf();
    const ticket = token.ticket();
    expect(token.find(ticket)?.name).toBe('alice');
    expect(token.find(ticket)).toBeNull();
    expect(token.find(token.ticket())?.name).toBe('alice');
  });

  it('is good for ten minutes, and not before it was made', () => {
    const token = tokenOf();
    const [early, late] = [token.ticket(), token.ticket()];
    now = NOW + LINK_MS;
    expect(token.find(early)?.name).toBe('alice');
    now += 1;
    expect(token.find(late)).toBeNull();
    const ahead = token.ticket();
    now -= 1;
    expect(token.find(ahead)).toBeNull();
  });

  it('may be made by anybody who has the token, and is taken by whoever has it', () => {
    const [process, command] = [tokenOf(), tokenOf()];
    expect(process.find(command.ticket())?.name).toBe('alice');
    expect(process.find(tokenOf(localTokenText('o'.repeat(43))).ticket())).toBeNull();
  });

  it('is not good after a start, which does not know whether it was used', () => {
    const ticket = tokenOf().ticket();
    now += 1;
    expect(tokenOf().find(ticket)).toBeNull();
  });

  it('is sealed: none of its parts can be changed', () => {
    const ticket = tokenOf().ticket();
    const token = tokenOf();
    for (const changed of [
      ticket.replace('bso_', 'bsl_'),
      ticket.replace(`${NOW}`, `${NOW + 1}`),
      ticket.replace(/s\d\./, 's0.'),
      `${ticket.slice(0, -1)}${ticket.endsWith('A') ? 'B' : 'A'}`,
    ]) {
      expect(changed).not.toBe(ticket);
      expect(token.find(changed)).toBeNull();
    }
    expect(token.find(ticket)).not.toBeNull();
  });
});

describe('the session of a browser', () => {
  it('takes both of its halves, and outlives a start', () => {
    const { cookie, proof } = tokenOf().openSession();
    const token = tokenOf();
    expect(token.find(`${cookie}.${proof}`)).toMatchObject({
      name: 'alice',
      role: 'admin',
      goodUntil: NOW + 12 * HOUR_MS,
    });
    for (const half of [cookie, proof, `${cookie}.1`, `${cookie}.${'x'.repeat(43)}`]) {
      expect(token.find(half)).toBeNull();
    }
    const other = token.openSession();
    expect(token.find(`${cookie}.${other.proof}`)).toBeNull();
  });

  it('is over after twelve hours, and with its token', async () => {
    const token = tokenOf();
    const { cookie, proof } = token.openSession();
    const text = `${cookie}.${proof}`;
    expect(tokenOf(localTokenText('o'.repeat(43))).find(text)).toBeNull();
    const clock = { now: () => now };
    const callers = new Callers({ keys: null, tokens: null, local: token, clock });
    const principal = token.find(text)!;
    expect(await callers.isGood(principal)).toBe(true);
    now += 12 * HOUR_MS;
    expect(token.find(text)).toBeNull();
    expect(await callers.isGood(principal)).toBe(false);
  });
});

const END = '127.0.0.1 7070';
const ASKED = { challenge: 'c'.repeat(43), end: END };

describe('a server that is asked whether it knows the token', () => {
  it('shows so, at its own end of the connection alone', () => {
    const greeting = tokenOf().greet(ASKED)!;
    const client = tokenOf();
    expect(client.isGreeting(greeting, ASKED)).toBe(true);
    for (const other of [
      { ...ASKED, end: '127.0.0.1 7071' },
      { ...ASKED, end: '::1 7070' },
      { ...ASKED, end: 'socket' },
      { ...ASKED, challenge: 'd'.repeat(43) },
    ]) {
      expect(client.isGreeting(greeting, other)).toBe(false);
    }
    expect(client.isGreeting({ ...greeting, nonce: `${greeting.nonce}x` }, ASKED)).toBe(false);
    expect(tokenOf(localTokenText('o'.repeat(43))).isGreeting(greeting, ASKED)).toBe(false);
  });

  it.each(['', 'short', `bso_${NOW}.x`, 'c'.repeat(44)])('seals no %j for strangers', (text) => {
    expect(tokenOf().greet({ ...ASKED, challenge: text })).toBeNull();
  });
});

describe('a signed request', () => {
  const parts = { end: END, method: 'POST', target: '/v1/tasks?wait=1s', digest: 'sha-256=:x:' };

  it('is taken in the name of the owner, without the token', () => {
    const server = tokenOf();
    const signature = tokenOf().sign(parts, server.greet(ASKED)!.nonce);
    expect(signature).not.toContain(TEXT.slice(4));
    expect(server.findSigned(signature, parts)?.name).toBe('alice');
    expect(server.find(signature)).toBeNull();
  });

  it.each([
    ['end', '::1 7070'],
    ['method', 'PUT'],
    ['target', '/v1/tasks?wait=2s'],
    ['digest', ''],
  ] as const)('is of no use with another %s', (part, other) => {
    const server = tokenOf();
    const signature = tokenOf().sign(parts, server.greet(ASKED)!.nonce);
    expect(server.findSigned(signature, { ...parts, [part]: other })).toBeNull();
  });

  it('is of no use after five minutes, and in no other process of the token', () => {
    const server = tokenOf();
    const signature = tokenOf().sign(parts, server.greet(ASKED)!.nonce);
    now += NONCE_MS - 1;
    expect(server.findSigned(signature, parts)).not.toBeNull();
    expect(tokenOf().findSigned(signature, parts)).toBeNull();
    now += 1;
    expect(server.findSigned(signature, parts)).toBeNull();
  });

  it.each(['', 'x', '.', `${NOW + 1}.${'n'.repeat(43)}.${'s'.repeat(43)}.${'s'.repeat(43)}`])(
    'is not %j',
    (text) => {
      expect(tokenOf().findSigned(text, parts)).toBeNull();
    },
  );

  it('takes a nonce of the server, with the time that it was made with', () => {
    const server = tokenOf();
    const { nonce } = server.greet(ASKED)!;
    const longer = nonce.replace(/^\d+/, `${NOW + 10 * NONCE_MS}`);
    expect(server.findSigned(tokenOf().sign(parts, longer), parts)).toBeNull();
  });
});

it.each([
  ['127.0.0.1', 7070, '127.0.0.1 7070'],
  ['::ffff:127.0.0.1', 7070, '127.0.0.1 7070'],
  ['::1', 7070, '::1 7070'],
  [undefined, undefined, 'socket'],
])('the end of a connection with %s and %s is written %s', (address, port, expected) => {
  expect(connectionEnd(address, port)).toBe(expected);
});
