/** Words of the places of runs, which are said wherever a step within another one is named. */
export const RUN_NAMES = {
  /** Between a step and what is in it. */
  in: ' › ',
  /** A part of a step: `both, left`. */
  part: (step: string, part: string) => `${step}, ${part}`,
  /** By kinds of scopes. */
  scopes: {
    try: (name: string) => `try ${name}`,
    round: (name: string) => `round ${name}`,
    branch: (name: string) => `branch ${name}`,
    case: (name: string) => (name === 'otherwise' ? name : `case ${name}`),
    item: (name: string) => `item ${name}`,
    other: (name: string) => name,
  },
  again: (step: string, run: string) => `${step} (run ${run})`,
} as const;

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
