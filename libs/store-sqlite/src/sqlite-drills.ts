import { checkDrill, type DrillRecord, type DrillStore } from '#ports';
import { type RecordForm, type RecordReader, RecordUnreadable } from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import type { DrillCells } from './definition-cells.js';
import type { WorkerLink } from './worker-link.js';

const FORM: RecordForm<DrillCells, DrillRecord> = {
  kind: 'drill',
  idOf: ([name, version]) => idOf({ flow: fromColumn(name), version }),
  decode: ([name, version, at, failures, total]) => {
    return checkDrill({ flow: fromColumn(name), version, at, failures, total });
  },
};

function idOf({ flow, version }: Pick<DrillRecord, 'flow' | 'version'>): string {
  return `${flow}@${version}`;
}

/** Results of drills, in the file of the store. */
export class SqliteDrills implements DrillStore {
  constructor(
    private readonly link: WorkerLink,
    private readonly records: RecordReader,
  ) {}

  async putDrill(record: DrillRecord): Promise<void> {
    const { at, failures, flow, total, version } = record;
    const cells: DrillCells = [toColumn(flow), version, at, failures, total];
    await this.link.ask(['putDrill', cells]);
    this.records.clear('drill', idOf(record));
  }

  /** One that cannot be read is none. */
  async findDrill(flow: string, version: number): Promise<DrillRecord | null> {
    const request = ['readDrills', ['upTo', toColumn(flow), version]] as const;
    const [found] = await this.link.ask<readonly DrillCells[]>(request);
    const drill = found && this.records.attempt(found, FORM);
    return drill === undefined || drill instanceof RecordUnreadable ? null : drill;
  }

  async listDrills(): Promise<readonly DrillRecord[]> {
    const found = await this.link.ask<readonly DrillCells[]>(['readDrills', ['all']]);
    return this.records.all(Array.from(found), FORM);
  }
}
