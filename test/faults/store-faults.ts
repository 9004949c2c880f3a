import type { MongoServer } from '../servers/index.js';
import type { Blow } from '../storm/index.js';
import { type Hold, keepBroken } from './hold.js';

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
