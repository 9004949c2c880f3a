import type { CauseReport, JsonObject } from './types.js';

/** The body of a request that stores a schedule. */
export interface ScheduleOrderReport {
  readonly flow: string;
  readonly parameters?: JsonObject;
  readonly labels?: Readonly<Record<string, string>>;
  readonly priority?: number;
  readonly cron?: string;
  readonly every?: string | number;
  readonly at?: string | number;
  readonly timezone?: string;
  readonly overlap?: string;
  readonly catchUp?: string;
  readonly paused?: boolean;
}

/** A schedule as the server shows it. Times are ISO 8601. */
export interface ScheduleReport extends ScheduleOrderReport {
  readonly name: string;
  readonly timezone: string;
  readonly overlap: string;
  readonly catchUp: string;
  readonly paused: boolean;
  readonly pause: {
    readonly by: string;
    readonly reason: string | null;
    readonly since: string;
  } | null;
  readonly updatedBy?: string;
  readonly author?: { readonly keyId: string; readonly gone: boolean } | null;
  readonly generation: number;
  readonly nextAt: string | null;
  readonly waiting: readonly string[];
  /** `moment` null: somebody started it by hand. */
  readonly lastRun: {
    readonly moment: string | null;
    readonly taskId: string;
    readonly at: string;
  } | null;
  readonly lastSkipped: { readonly moment: string; readonly reason: string } | null;
  readonly lastError: {
    readonly moment: string;
    readonly code: string;
    readonly message: string;
    readonly retried: boolean;
  } | null;
  readonly counts: { readonly started: number; readonly skipped: number; readonly failed: number };
  readonly next?: readonly string[];
}

/** One page of schedules. */
export interface SchedulePage {
  readonly items: readonly ScheduleReport[];
  readonly page: { readonly nextCursor: string | null };
}

/** Moments in a row that fared alike. Times are ISO 8601. */
export interface PastMomentsReport {
  readonly result: string;
  readonly from: string;
  readonly to: string;
  readonly count: number;
  readonly message: string;
  readonly taskId: string | null;
}

/** Why a schedule starts no task, and how its latest moments fared, the newest first. */
export interface ScheduleExplanationReport {
  readonly active: boolean;
  readonly causes: readonly CauseReport[];
  readonly past: readonly PastMomentsReport[];
}
