import type { HttpApi } from '../../../../schemas/http-api.js';
import { ask, type HttpOptions } from './http.js';

/** The requests about archives. Every error is a `CliError`. */
export class ArchiveClient {
  constructor(private readonly options: HttpOptions) {}

  async exportTasks(query: Readonly<Record<string, string>>): Promise<HttpApi['ArchivePage']> {
    const path = `v1/archive?${new URLSearchParams(query).toString()}`;
    return ask({ path }, this.options);
  }

  /** Doing it again is harmless. */
  async importTasks(lines: readonly string[]): Promise<HttpApi['PutBackReports']['results']> {
    const request = { method: 'POST', path: 'v1/archive', body: { lines } } as const;
    const answer = await ask<HttpApi['PutBackReports']>(request, this.options);
    return answer.results;
  }
}
