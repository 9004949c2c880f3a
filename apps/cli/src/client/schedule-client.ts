import { type Ask, ask, guard, type HttpOptions, quoted, send } from './http.js';
import type {
  ScheduleExplanationReport,
  ScheduleOrderReport,
  SchedulePage,
  ScheduleReport,
  TaskReceipt,
} from './types.js';

/** The requests about schedules, typed. Every error is a `CliError`. */
export class ScheduleClient {
  constructor(private readonly options: HttpOptions) {}

  /** `revision`: the generation that it must be at, or `*`; 0: the name must be new. */
  put(name: string, order: ScheduleOrderReport, revision?: string): Promise<ScheduleReport> {
    const headers = guard(revision);
    return this.json({ method: 'PUT', path: pathOf(name), body: order, headers });
  }

  get(name: string, next: string | undefined): Promise<ScheduleReport> {
    const query = next === undefined ? '' : `?${new URLSearchParams({ next }).toString()}`;
    return this.json({ path: `${pathOf(name)}${query}` });
  }

  explain(name: string): Promise<ScheduleExplanationReport> {
    return this.json({ path: `${pathOf(name)}/why` });
  }

  list(query: Readonly<Record<string, string>>): Promise<SchedulePage> {
    return this.json({ path: `v1/schedules?${new URLSearchParams(query).toString()}` });
  }

  async remove(name: string, revision?: string): Promise<void> {
    const request = { method: 'DELETE', path: pathOf(name), headers: guard(revision) } as const;
    await send(request, this.options);
  }

  /** `pause` or `resume`. */
  change(name: string, verb: string, reason: string): Promise<ScheduleReport> {
    return this.json({ method: 'POST', path: `${pathOf(name)}:${verb}`, body: { reason } });
  }

  trigger(
    name: string,
    { key, reason }: { readonly key: string; readonly reason: string | undefined },
  ): Promise<TaskReceipt> {
    return this.json({
      method: 'POST',
      path: `${pathOf(name)}:trigger`,
      body: reason === undefined ? {} : { reason },
      headers: { 'idempotency-key': quoted(key) },
    });
  }

  private async json<T>(request: Ask): Promise<T> {
    return ask(request, this.options);
  }
}

function pathOf(name: string): string {
  return `v1/schedules/${encodeURIComponent(name)}`;
}
