import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWith } from '../../../test/servers/describe-with.js';
import { present, startRabbitmq, type RabbitmqServer } from '../../../test/servers/index.js';
import { RabbitmqRig } from '../../../test/servers/rabbitmq-rig.js';

const PAGES = ['rabbitmq.md', 'run-distributed.md', 'operations.md'];
/** A command in a block of its own, or within a sentence. */
const COMMAND = /(?:^|`)rabbitmqctl ([^`\n]+)/gm;
const ARGUMENT = /'([^']*)'|(\S+)/g;
const QUEUE = 'backstep.page';

/** The vhosts and users that the pages take for granted. */
const MADE_BEFORE = [
  ['add_vhost', 'production'],
  ['add_user', 'backstep', 'pw'],
];

describeWith('the commands of pages about RabbitMQ', { servers: ['rabbitmq'], own: true }, () => {
  let server: RabbitmqServer;
  beforeAll(async () => {
    server = present(await startRabbitmq({ own: true }));
    for (const args of MADE_BEFORE) await server.ctl(...args);
  }, 240_000);
  afterAll(() => server.stop(), 60_000);

  /** The arguments of each command, with what is here in the place of what a reader fills in. */
  async function commands(): Promise<readonly (readonly string[])[]> {
    const texts = await Promise.all(
      PAGES.map((page) => readFile(new URL(`../../../docs/${page}`, import.meta.url), 'utf8')),
    );
    return [...texts.join('\n').matchAll(COMMAND)].map(([, line = '']) =>
      [...line.matchAll(ARGUMENT)].map(([, quoted, plain = '']) =>
        (quoted ?? plain).replace('<vhost>', 'production').replace(/^<\w+>$/, QUEUE),
      ),
    );
  }

  it('are taken by a broker as they stand there', async () => {
    const found = await commands();
    expect(found.length).toBeGreaterThanOrEqual(7);
    for (const args of found) {
      if (args[0] === 'delete_queue') await declareQueue();
      await server.ctl(...args);
    }
    expect(await server.ctl('list_vhosts')).toContain('staging');
    expect(await server.ctl('list_policies')).toMatch(/backstep\\+\.parked/);
    expect(await server.ctl('list_permissions', '-p', 'production')).toMatch(/amq\\+\.default/);
  }, 120_000);

  async function declareQueue(): Promise<void> {
    await new RabbitmqRig(server.amqpUrl).bare((channel) => channel.assertQueue(QUEUE));
  }
});
