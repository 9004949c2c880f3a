import type { DrillRecord, DrillStore } from '#ports';

/** Results of drills in memory, by flow and version. */
export class MemoryDrills implements DrillStore {
  constructor(private readonly open: () => Map<string, DrillRecord>) {}

  async putDrill(record: DrillRecord): Promise<void> {
    this.open().set(`${record.flow}@${record.version}`, record);
  }

  async findDrill(flow: string, version: number): Promise<DrillRecord | null> {
    const all = [...this.open().values()].filter((one) => one.flow === flow);
    return newestOf(all.filter((one) => one.version <= version));
  }

  async listDrills(): Promise<readonly DrillRecord[]> {
    const all = [...this.open().values()];
    const flows = [...new Set(all.map(({ flow }) => flow))].sort();
    return flows.flatMap((flow) => newestOf(all.filter((one) => one.flow === flow)) ?? []);
  }
}

function newestOf(drills: readonly DrillRecord[]): DrillRecord | null {
  return drills.toSorted((one, other) => other.version - one.version)[0] ?? null;
}
