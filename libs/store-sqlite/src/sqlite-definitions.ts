import { type JsonObject, readStoredJson } from '#core';
import { checkCommand, type RecordForm, type RecordReader } from '#ports';
import type {
  CommandRecord,
  DefinitionStore,
  FlowHead,
  FlowStanding,
  PutOrder,
  PutResult,
  RetireResult,
  VersionEntry,
} from '#ports';
import { fromColumn, toColumn } from './column-text.js';
import type { CommandCells, StoredHead, StoredRetirement } from './definition-cells.js';
import type { FlowShelf } from './flow-shelf.js';
import type { StoredPut } from './protocol.js';
import type { WorkerLink } from './worker-link.js';

/** Above every number of a version. */
const BEYOND_ALL = Number.MAX_SAFE_INTEGER;

type StoredCommand = readonly [module: string, command: string, ...CommandCells];

const COMMAND: RecordForm<StoredCommand, CommandRecord> = {
  kind: 'command',
  idOf: ([module, command]) => nameOf(module, command),
  decode: ([module, command, updatedAt, text]) => {
    const defaults = readStoredJson(text, 'defaults') as JsonObject;
    return checkCommand({ module, command, updatedAt, defaults });
  },
};

/** Both may have any character. */
function nameOf(module: string, command: string): string {
  return JSON.stringify([module, command]);
}

/** Definitions that come by requests, in the file of the store. */
export class SqliteDefinitions implements DefinitionStore {
  readonly #link: WorkerLink;
  readonly #flows: FlowShelf;
  readonly #records: RecordReader;

  constructor(link: WorkerLink, flows: FlowShelf, records: RecordReader) {
    this.#link = link;
    this.#flows = flows;
    this.#records = records;
  }

  async putFlow({ definition, expected, hash, now }: PutOrder): Promise<PutResult> {
    const name = toColumn(definition.name);
    const cells = [name, toColumn(hash), JSON.stringify(definition), now] as const;
    for (let broken = 0; ;) {
      const request = ['putFlow', [...cells, expected ?? null, broken]] as const;
      const answer = await this.#link.ask<StoredPut>(request);
      if (answer[0] === 'moved') return { kind: 'moved', version: answer[1] };
      const [kind, stored, before] = answer;
      const flow = this.#flows.newestReadable(stored);
      if (flow !== null) return { kind, flow, before: before && toHead(before) };
      [broken] = stored;
    }
  }

  async retireFlow(name: string, expected?: readonly number[]): Promise<RetireResult> {
    const request = ['retireFlow', toColumn(name), expected ?? null] as const;
    const [kind, version] = await this.#link.ask<StoredRetirement>(request);
    return kind === 'moved' ? { kind, version } : { kind };
  }

  async listHeads(): Promise<readonly FlowHead[]> {
    return Array.from(await this.#link.ask<readonly StoredHead[]>(['listHeads']), toHead);
  }

  async listVersions(
    name: string,
    limit: number,
    before = BEYOND_ALL,
  ): Promise<readonly VersionEntry[]> {
    type Entry = readonly [version: number, hash: string, createdAt: number];
    const request = ['listVersions', toColumn(name), limit, before] as const;
    const found = await this.#link.ask<readonly Entry[]>(request);
    return Array.from(found, ([version, hash, createdAt]) => {
      return { version, hash: fromColumn(hash), createdAt };
    });
  }

  async putCommand({ command, defaults, module, updatedAt }: CommandRecord): Promise<void> {
    const cells: CommandCells = [updatedAt, JSON.stringify(defaults)];
    await this.#link.ask(['changeCommand', module, command, cells]);
    this.#records.clear('command', nameOf(module, command));
  }

  async removeCommand(module: string, command: string): Promise<boolean> {
    const count = await this.#link.ask<number>(['changeCommand', module, command, null]);
    if (count === 1) this.#records.clear('command', nameOf(module, command));
    return count === 1;
  }

  async listCommands(): Promise<readonly CommandRecord[]> {
    const found = await this.#link.ask<readonly StoredCommand[]>(['listCommands']);
    return this.#records.all(Array.from(found), COMMAND);
  }
}

function toHead([name, version, standing]: StoredHead): FlowHead {
  return { name: fromColumn(name), version, standing: standing as FlowStanding };
}
