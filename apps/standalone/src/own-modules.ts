import type { DynamicModule, Type } from '@nestjs/common';

/** Nest modules of a program of one's own. */
export type OwnModules = readonly (Type | DynamicModule)[];

/** The gateway of a program, for modules that are made before it starts. */
export interface Gateway {
  /** Resolves to the address of its HTTP interface once it listens; commands run after that. */
  readonly url: Promise<string>;
}
