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
