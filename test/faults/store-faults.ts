import type { MongoServer, TcpProxy } from '../servers/index.js';
import type { Blow } from '../storm/index.js';
import { type Hold, keepBroken } from './hold.js';
import { linesAway, lostLine } from './line-faults.js';

/** The store of the distributed set dies, or stands still. */
export function mongoBlows(mongo: MongoServer, hold: Hold): readonly Blow[] {
  const pause = async (): Promise<void> => {
    await mongo.pause();
    await keepBroken(hold);
    await mongo.resume();
  };
  return [
    { name: 'MongoDB: killed and started again', strike: () => mongo.restart() },
    { name: 'MongoDB: stands still', strike: pause },
  ];
}

/** Every way in which the store is away for all processes at once, and comes back. */
export function storeOutages(mongo: MongoServer, line: TcpProxy, hold: Hold): readonly Blow[] {
  const stayDead = async (): Promise<void> => {
    await mongo.kill();
    await keepBroken(hold);
    await mongo.restart();
  };
  return [
    ...mongoBlows(mongo, hold),
    { name: 'MongoDB: killed and started again later', strike: stayDead },
    ...linesAway('MongoDB', line, hold),
    lostLine('MongoDB', line, hold),
  ];
}
