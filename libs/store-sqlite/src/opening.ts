/** The settings that the worker starts with. */
export interface WorkerSettings {
  readonly path: string;
  readonly checkpointPages: number;
}

/** The first message of the worker: whether the file is open. */
export type Opening =
  | { readonly kind: 'open' }
  | { readonly kind: 'busy' | 'foreign' | 'failed'; readonly message: string };
