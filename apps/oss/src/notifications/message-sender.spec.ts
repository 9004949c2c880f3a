import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SMTPServer } from 'smtp-server';
import { TextSeal } from '#access';
import { newSecret, SystemClock } from '#machine';
import { CheckedResolver, exceptionsOf } from '#outbound';
import { sampleDelivery, sampleNotification } from '#testing';
import { ChannelSecrets } from './channel-secrets.js';
import { ChannelSender } from './message-sender.js';

const secrets = new ChannelSecrets(
  new TextSeal(['5a'.repeat(32)], 'notification channels'),
  () => newSecret().secret,
);

let mails: number;
let passwords: (string | null | undefined)[];
let sink: SMTPServer;
let port: number;
beforeEach(async () => {
  mails = 0;
  passwords = [];
  sink = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth({ password }, _session, done) {
      passwords.push(password);
      done(null, { user: 'somebody' });
    },
    onData(stream, _session, done) {
      mails += 1;
      stream.resume().on('end', () => done());
    },
  });
  const listener = sink.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  ({ port } = listener.address() as AddressInfo);
});
afterEach(() => new Promise<void>((resolve) => sink.close(() => resolve())));

/** Sends a message to the server, under names of which each is this machine. */
function send(server: string, { insecure = false } = {}): Promise<void> {
  const resolve = () => Promise.resolve(['127.0.0.1']);
  const resolver = new CheckedResolver(exceptionsOf(['127.0.0.1']), resolve);
  const sender = new ChannelSender({ clock: new SystemClock(), insecure, resolver, secrets });
  const to = ['ann@example.org'];
  const channel = { type: 'email', server, from: 'backstep@example.org', to } as const;
  const rule = sampleNotification('mail');
  const order = { ...rule.order, channel: secrets.hide(channel, rule.id) };
  return sender.send({ ...rule, order }, sampleDelivery('1'));
}

describe('the password of a mail server', () => {
  it('does not leave for another machine in clear text', async () => {
    const sent = send(`smtp://me:pw@mail.example:${port}`);
    await expect(sent).rejects.toThrow('It offers no TLS that can be used.');
    expect([passwords, mails]).toEqual([[], 0]);
  });

  it.each([
    ['to this machine', 'smtp://me:pw@localhost', false],
    ['to an address of this machine', 'smtp://me:pw@127.0.0.1', false],
    ['where somebody wrote so', 'smtp://me:pw@mail.example', true],
  ])('is sent %s', async (_where, server, insecure) => {
    await send(`${server}:${port}`, { insecure });
    expect([passwords, mails]).toEqual([['pw'], 1]);
  });

  it('is not there in the address of a server that asks for none', async () => {
    await send(`smtp://mail.example:${port}`);
    expect([passwords, mails]).toEqual([[], 1]);
  });
});
