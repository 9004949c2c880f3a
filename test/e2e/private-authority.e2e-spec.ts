import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { CliChild } from '../cli/cli-child.js';
import { describeWith } from '../servers/describe-with.js';
import { present, startMongo, startRabbitmq } from '../servers/index.js';
import { CertificateAuthority, type IssuedCertificate } from '../tls/certificate-authority.js';
import { Trial } from '../trial/index.js';

const trial = new Trial('private-authority');

/** TLS in front of a server that has none. */
class TlsFront {
  private constructor(private readonly listener: Server) {}

  static async open(url: string, { cert, key }: IssuedCertificate): Promise<TlsFront> {
    const { hostname, port } = new URL(url);
    const listener = createServer({ cert, key }, (client) => {
      const server = connect(Number(port), hostname);
      for (const socket of [client, server]) {
        socket.on('error', () => undefined).on('close', () => (client.destroy(), server.destroy()));
      }
      client.pipe(server).pipe(client);
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new TlsFront(listener);
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.listener.close();
  }
}

describeWith('an authority of one’s own', { servers: ['mongo', 'rabbitmq'] }, () => {
  let authority: CertificateAuthority;
  let env: Record<string, string>;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const mongo = trial.use(present(await startMongo()));
      const rabbitmq = trial.use(present(await startRabbitmq()));
      authority = await CertificateAuthority.open(trial.folder, 'ours');
      const ours = await authority.issueForLoopback();
      const store = trial.use(await TlsFront.open(mongo.url, ours));
      const broker = trial.use(await TlsFront.open(rabbitmq.amqpUrl, ours));
      env = {
        BACKSTEP_STORE: `mongodb://127.0.0.1:${store.port}/db?tls=true&directConnection=true`,
        BACKSTEP_TRANSPORT: `amqps://guest:guest@127.0.0.1:${broker.port}`,
      };
    }),
    240_000,
  );

  afterAll(() => trial.close(), 60_000);

  /** States of both servers by the doctor, which asks them by the clients of the processes. */
  async function statesSeen(more: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const doctor = new CliChild(['doctor', '-o', 'json'], {
      cwd: trial.folder,
      env: { ...env, ...more },
    });
    const { stdout } = await doctor.end;
    const findings = JSON.parse(stdout) as readonly { check: string; state: string }[];
    return ['store', 'broker'].map((name) => {
      return findings.find(({ check }) => check === name)?.state ?? `${name} is not looked at`;
    });
  }

  trial.it('is trusted for MongoDB and RabbitMQ where NODE_EXTRA_CA_CERTS names it', async () => {
    expect(await statesSeen({ NODE_EXTRA_CA_CERTS: authority.certFile })).toEqual(['ok', 'ok']);
  });

  trial.it('is trusted nowhere else', async () => {
    expect(await statesSeen({})).toEqual(['broken', 'broken']);
  });
});
