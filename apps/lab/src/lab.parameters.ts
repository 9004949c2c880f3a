import {
  IsDefined,
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateBy,
} from 'class-validator';
import { type Duration, readDuration } from '#wording';

const HOUR_MS = 3_600_000;
const OUTPUT_MAX = 64 * 1_024 * 1_024;

/** `fail`. */
export class FailParameters {
  @IsIn(['terminal', 'retryable'])
  readonly kind!: 'terminal' | 'retryable';

  @IsOptional()
  @IsString()
  readonly message?: string | null;
}

/** `flaky`. */
export class FlakyParameters {
  /** How many attempts fail before one succeeds. */
  @IsInt()
  @Min(0)
  readonly failures!: number;

  /** How many tries of the group around it fail, whatever the attempt. */
  @IsOptional()
  @IsInt()
  @Min(0)
  readonly tries?: number | null;
}

/** `sleep` and `hang`. */
export class SleepParameters {
  @IsInt()
  @Min(0)
  @Max(24 * HOUR_MS)
  readonly ms!: number;
}

/** `again`. */
export class AgainParameters {
  /** How many looks find the work unfinished. */
  @IsInt()
  @Min(0)
  readonly times!: number;

  /** From one look to the next: `500ms`, `10s`; a bare number is seconds. */
  @IsDefined()
  @IsDuration()
  readonly delay!: Duration;
}

/** `later`. */
export class LaterParameters {
  /** For how long the completion is waited for: `500ms`, `10s`; a bare number is seconds. */
  @IsDefined()
  @IsDuration()
  readonly timeout!: Duration;
}

/** `output`. */
export class OutputParameters {
  @IsInt()
  @Min(0)
  @Max(OUTPUT_MAX)
  readonly bytes!: number;
}

/** `effect` and `undo_effect`. */
export class EffectParameters {
  @IsString()
  @IsNotEmpty()
  readonly name!: string;
}

/** A duration as settings and flow files write it. */
function IsDuration(): PropertyDecorator {
  return ValidateBy({
    name: 'isDuration',
    validator: {
      validate: isDuration,
      defaultMessage: () => '$property must be a duration, such as 500ms, 10s or 5m',
    },
  });
}

function isDuration(value: unknown): boolean {
  return (typeof value === 'string' || typeof value === 'number') && readDuration(value) !== null;
}
