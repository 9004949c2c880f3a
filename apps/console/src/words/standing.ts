/** Words of how a task stands, where its status alone does not say what a person must know. */
export const STANDING = {
  retrying: (attempts: number) => `Retrying ${attempts}`,
  undoRetrying: (attempts: number) => `Undo retrying ${attempts}`,
  approval: 'Waits for approval',
  signal: 'Waits for a signal',
  completion: 'Waits for completion',
  child: 'Child task waits for a person',
  executor: 'Waits for executor',
  lock: 'Waits for a lock',
  broker: 'Waits for the broker',
  secrets: 'Waits for the secret store',
  time: 'Waits until its time',
} as const;
