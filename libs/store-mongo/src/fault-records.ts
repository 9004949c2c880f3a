import type { Collection, Db } from 'mongodb';
import { checkFault, type RecordForm, type RecordReader, RecordUnreadable } from '#ports';
import type { FaultPlace, FaultStore, FaultSwitch } from '#ports';
import { COLLECTIONS } from './migrations.js';
import type { ServerCalls } from './server-calls.js';

/** A switch as stored. */
interface FaultDocument extends FaultSwitch {
  /** Flow and step, as a JSON text: either may have any character. */
  readonly _id: string;
}

const FORM: RecordForm<FaultDocument, FaultSwitch> = {
  kind: 'fault',
  idOf: ({ _id }) => _id,
  decode: ({ _id, ...one }) => checkFault(one),
};

/** Keeps the switches that make steps go wrong, for all processes of a deployment. */
export class FaultRecords implements FaultStore {
  private readonly faults: Collection<FaultDocument>;

  constructor(
    db: Db,
    private readonly calls: ServerCalls,
    private readonly records: RecordReader,
  ) {
    this.faults = db.collection<FaultDocument>(COLLECTIONS.faults);
  }

  async listFaults(): Promise<readonly FaultSwitch[]> {
    const read = (): Promise<FaultDocument[]> => this.faults.find().sort({ _id: 1 }).toArray();
    return this.records.all(await this.calls.ask('listing faults', read), FORM);
  }

  async findFault(place: FaultPlace): Promise<FaultSwitch | null> {
    const read = (): Promise<FaultDocument | null> => this.faults.findOne({ _id: idOf(place) });
    const found = await this.calls.ask('reading a fault', read);
    const one = found && this.records.attempt(found, FORM);
    return one instanceof RecordUnreadable ? null : one;
  }

  async putFault({ delayMs, flow, kind, step }: FaultSwitch): Promise<void> {
    const _id = idOf({ flow, step });
    const document = { _id, flow, step, kind, delayMs };
    const write = (): Promise<unknown> =>
      this.faults.replaceOne({ _id }, document, { upsert: true });
    await this.calls.call('storing a fault', write);
    this.records.clear('fault', _id);
  }

  async removeFault(place: FaultPlace): Promise<boolean> {
    const write = (): Promise<{ deletedCount: number }> =>
      this.faults.deleteOne({ _id: idOf(place) });
    const isRemoved = (await this.calls.call('removing a fault', write)).deletedCount === 1;
    if (isRemoved) this.records.clear('fault', idOf(place));
    return isRemoved;
  }
}

function idOf({ flow, step }: FaultPlace): string {
  return JSON.stringify([flow, step]);
}
