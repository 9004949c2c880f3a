import { ask, type HttpOptions } from './http.js';

/** One page of lines of an archive. */
interface ArchivePage {
  readonly items: readonly string[];
  readonly page: { readonly nextCursor: string | null };
}

/** The result of importing one line of an archive. */
interface PutBackReport {
  readonly index: number;
  readonly result: 'imported' | 'present' | 'refused';
  readonly taskId: string | null;
  readonly message: string | null;
}

/** The requests about archives. Every error is a `CliError`. */
export class ArchiveClient {
  constructor(private readonly options: HttpOptions) {}

  async exportTasks(query: Readonly<Record<string, string>>): Promise<ArchivePage> {
    const path = `v1/archive?${new URLSearchParams(query).toString()}`;
    return ask({ path }, this.options);
  }

  /** Doing it again is harmless. */
  async importTasks(lines: readonly string[]): Promise<readonly PutBackReport[]> {
    const request = { method: 'POST', path: 'v1/archive', body: { lines } } as const;
    const answer = await ask<{ results: readonly PutBackReport[] }>(request, this.options);
    return answer.results;
  }
}
