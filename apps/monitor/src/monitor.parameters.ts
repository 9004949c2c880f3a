import { IsIn, IsObject, IsOptional, IsString, MaxLength } from 'class-validator';
import type { Severity } from './event-log.js';

/** What `report_event` takes from the parameters of the task. */
export class EventParameters {
  @IsOptional()
  @IsString()
  @MaxLength(1_000)
  readonly message?: string | null;

  @IsOptional()
  @IsIn(['info', 'warning', 'critical'])
  readonly severity?: Severity | null;
}

/** What `add_target` takes, besides the members of a cluster that the steps before have made. */
export class TargetParameters {
  @IsOptional()
  @IsString()
  readonly instance?: string | null;

  /** Host and port. */
  @IsOptional()
  @IsString()
  readonly endpoint?: string | null;

  @IsOptional()
  @IsString()
  readonly role?: string | null;

  /** More labels for Prometheus, text each. */
  @IsOptional()
  @IsObject()
  readonly targetLabels?: Record<string, unknown> | null;
}
