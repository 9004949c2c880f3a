import { v7 } from 'uuid';
import type { Entropy } from '#ports';

/** The machine's chance. Ids are UUIDs of version 7, which grow with time. */
export class SystemEntropy implements Entropy {
  newId(): string {
    return v7();
  }

  random(): number {
    return Math.random();
  }
}
