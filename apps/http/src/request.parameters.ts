import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import type { JsonValue } from '#core';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Parameters of the command `request`. */
export class RequestParameters {
  @IsIn(METHODS)
  readonly method!: (typeof METHODS)[number];

  @IsString()
  @MaxLength(8_192)
  readonly url!: string;

  /** Texts by names. */
  @IsOptional()
  @IsObject()
  readonly headers?: Readonly<Record<string, unknown>> | null;

  /** A text is sent as it is, anything else as JSON. */
  @IsOptional()
  readonly body?: JsonValue;

  /** Statuses that are a success; by default 200 to 299. */
  @IsOptional()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayMaxSize(100)
  @IsInt({ each: true })
  @Min(200, { each: true })
  @Max(599, { each: true })
  readonly expect?: readonly number[] | null;

  /** A duration; by default the attempt's time. */
  @IsOptional()
  readonly timeout?: string | number | null;
}
