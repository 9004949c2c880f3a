/** The settings that the worker starts with. */
export interface WorkerSettings {
  readonly path: string;
  readonly checkpointPages: number;
}

/** The first message of the worker: whether the file is open. */
export type Opening = { readonly kind: 'open' } | FailedOpening;

/** Why the file is not open; the message goes on after the file's name. */
export interface FailedOpening {
  readonly kind: 'busy' | 'foreign' | 'damaged' | 'failed';
  readonly message: string;
}
