import { IsIn, IsObject, IsOptional, IsString, MaxLength } from 'class-validator';
import type { Severity } from './event-log.js';

/** The parameters of the task that `report_event` reads. */
export class EventParameters {
  @IsOptional()
  @IsString()
  @MaxLength(1_000)
  readonly message?: string | null;

  @IsOptional()
  @IsIn(['info', 'warning', 'critical'])
  readonly severity?: Severity | null;
}

/** The task whose rollback failed. Absent members: those of the attempt itself. */
export class AlertParameters {
  @IsOptional()
  @IsString()
  readonly taskId?: string | null;

  @IsOptional()
  @IsString()
  readonly flow?: string | null;

  @IsOptional()
  @IsString()
  readonly step?: string | null;
}

/** Parameters of `add_target`, besides the cluster members that earlier steps have made. */
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
