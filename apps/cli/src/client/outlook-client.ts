import { ask, type HttpOptions } from './http.js';
import { taskPath } from './paths.js';
import type { ExplanationReport, PlanReport, PreviewReport } from './types.js';

/** The requests about what becomes of a task, typed. Every error is a `CliError`. */
export class OutlookClient {
  constructor(private readonly options: HttpOptions) {}

  planRollback(taskId: string): Promise<PlanReport> {
    return this.json(`${taskPath(taskId)}/rollback-plan`);
  }

  /** `search`: the action and the step that it takes, as a query. */
  previewAction(taskId: string, search: string): Promise<PreviewReport> {
    return this.json(`${taskPath(taskId)}/preview?${search}`);
  }

  explain(taskId: string): Promise<ExplanationReport> {
    return this.json(`${taskPath(taskId)}/why`);
  }

  private async json<T>(path: string): Promise<T> {
    return ask({ path }, this.options);
  }
}
