import type { Collection, Db } from 'mongodb';
import type { FaultPlace, FaultStore, FaultSwitch } from '#ports';
import { COLLECTIONS } from './migrations.js';
import type { ServerCalls } from './server-calls.js';

/** A switch as stored. */
interface FaultDocument extends FaultSwitch {
  /** Flow and step, as a JSON text: either may have any character. */
  readonly _id: string;
}

/** Keeps the switches that make steps go wrong, for all processes of a deployment. */
export class FaultRecords implements FaultStore {
  private readonly faults: Collection<FaultDocument>;

  constructor(
    db: Db,
    private readonly calls: ServerCalls,
  ) {
    this.faults = db.collection<FaultDocument>(COLLECTIONS.faults);
  }

  async listFaults(): Promise<readonly FaultSwitch[]> {
    const read = (): Promise<FaultDocument[]> => this.faults.find().sort({ _id: 1 }).toArray();
    return (await this.calls.ask('listing faults', read)).map(toSwitch);
  }

  async findFault(place: FaultPlace): Promise<FaultSwitch | null> {
    const read = (): Promise<FaultDocument | null> => this.faults.findOne({ _id: idOf(place) });
    const found = await this.calls.ask('reading a fault', read);
    return found === null ? null : toSwitch(found);
  }

  async putFault({ delayMs, flow, kind, step }: FaultSwitch): Promise<void> {
    const _id = idOf({ flow, step });
    const document = { _id, flow, step, kind, delayMs };
    const write = (): Promise<unknown> =>
      this.faults.replaceOne({ _id }, document, { upsert: true });
    await this.calls.call('storing a fault', write);
  }

  async removeFault(place: FaultPlace): Promise<boolean> {
    const write = (): Promise<{ deletedCount: number }> =>
      this.faults.deleteOne({ _id: idOf(place) });
    return (await this.calls.call('removing a fault', write)).deletedCount === 1;
  }
}

function idOf({ flow, step }: FaultPlace): string {
  return JSON.stringify([flow, step]);
}

function toSwitch({ _id, ...one }: FaultDocument): FaultSwitch {
  return one;
}
