import { IsInt, IsNumber, IsOptional, IsString, Max, Min } from 'class-validator';

/** The parameters of the task that `init_instance` reads. */
export class InitParameters {
  /** Name of the instance; without it the task's id makes one. */
  @IsOptional()
  @IsString()
  readonly instance?: string | null;

  /** `primary`, `replica`, or whatever the flow calls the members of a cluster. */
  @IsOptional()
  @IsString()
  readonly role?: string | null;

  /** Tells the members of a cluster apart; becomes the end of the name. */
  @IsOptional()
  @IsString()
  readonly nameSuffix?: string | null;

  /** Cores: each is worth a number of connections. */
  @IsOptional()
  @IsNumber()
  @Min(0)
  readonly cpu?: number | null;

  /** GiB. */
  @IsOptional()
  @IsNumber()
  @Min(0)
  readonly memory?: number | null;

  /** GiB. */
  @IsOptional()
  @IsNumber()
  @Min(0)
  readonly storage?: number | null;

  /** Largest number of connections at a time; without it the cores decide. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100_000)
  readonly connections?: number | null;
}

/** Which instance `clean_instance` removes; a rollback knows that by itself. */
export class CleanParameters {
  @IsOptional()
  @IsString()
  readonly instance?: string | null;

  @IsOptional()
  @IsString()
  readonly nameSuffix?: string | null;
}
