import path from 'node:path';
import { freePort } from '../servers/free-ports.js';
import { AppProcess, REPOSITORY, type Stack } from '../stack/index.js';

/** Plans a process of another build of `lab` beside a stack: it knows `succeed` alone. */
export async function planOlderLab(stack: Stack, folder: string): Promise<AppProcess> {
  const { mongo, rabbitmq } = stack.servers;
  return new AppProcess({
    name: 'older-lab',
    app: 'lab',
    entry: path.join(REPOSITORY, 'dist/test/faults/older-lab.js'),
    port: await freePort(),
    folder,
    settings: {
      store: new URL('/backstep', mongo.url).href,
      transport: rabbitmq.amqpUrl,
      data: stack.data,
    },
  });
}
