import { IsNumber, IsOptional, IsString, Max, Min } from 'class-validator';

const DECIMALS = { maxDecimalPlaces: 3, allowNaN: false, allowInfinity: false } as const;
/** Sums of thousandths stay exact far beyond this. */
const LARGEST = 1_000_000_000;

/** How much an instance needs. */
export class SizeParameters {
  /** Cores. */
  @IsNumber(DECIMALS)
  @Min(0.001)
  @Max(LARGEST)
  readonly cpu!: number;

  /** GiB. */
  @IsNumber(DECIMALS)
  @Min(0.001)
  @Max(LARGEST)
  readonly memory!: number;

  /** GiB. */
  @IsNumber(DECIMALS)
  @Min(0.001)
  @Max(LARGEST)
  readonly storage!: number;
}

/** Parameters of a deduction. A rollback, which takes back what was released, needs none. */
export class DeductParameters {
  /** Cores. */
  @IsOptional()
  @IsNumber(DECIMALS)
  @Min(0.001)
  @Max(LARGEST)
  readonly cpu?: number | null;

  /** GiB. */
  @IsOptional()
  @IsNumber(DECIMALS)
  @Min(0.001)
  @Max(LARGEST)
  readonly memory?: number | null;

  /** GiB. */
  @IsOptional()
  @IsNumber(DECIMALS)
  @Min(0.001)
  @Max(LARGEST)
  readonly storage?: number | null;

  /** The host that the check suggested. */
  @IsOptional()
  @IsString()
  readonly host?: string | null;
}

/** Which instance's resources go back; a rollback knows that by itself. */
export class RestoreParameters {
  @IsOptional()
  @IsString()
  readonly instance?: string | null;
}
