import type { RabbitmqServer } from '../servers/index.js';
import { MODULES } from '../stack/index.js';
import type { Blow } from '../storm/index.js';
import { type Hold, keepBroken } from './hold.js';

/** Blows that an operator, or a full machine, can deal to a broker that goes on running. */
export function brokerBlows(broker: RabbitmqServer, hold: Hold): readonly Blow[] {
  const between = (name: string, first: readonly string[], last: readonly string[]): Blow => ({
    name: `RabbitMQ: ${name}`,
    strike: async () => {
      await broker.ctl(...first);
      await keepBroken(hold);
      await broker.ctl(...last);
    },
  });
  const disk = 'set_disk_free_limit';
  const memory = 'set_vm_memory_high_watermark';
  return [
    between('alarm of its disk', [disk, '900000GB'], [disk, '50MB']),
    between('alarm of its memory', [memory, '0'], [memory, '0.4']),
    between('stopped and started', ['stop_app'], ['start_app']),
    {
      name: 'RabbitMQ: all connections closed',
      strike: () => broker.ctl('close_all_connections', 'maintenance'),
    },
    {
      name: 'RabbitMQ: a queue deleted',
      strike: () => broker.ctl('delete_queue', `backstep.${hold.random.pick(MODULES)}`),
    },
  ];
}

/** The broker dies, or comes back without anything it had. */
export function brokerDeaths(broker: RabbitmqServer): readonly Blow[] {
  return [
    { name: 'RabbitMQ: killed and started again', strike: () => broker.restart() },
    { name: 'RabbitMQ: emptied and started again', strike: () => broker.wipe() },
  ];
}
