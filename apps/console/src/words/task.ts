/** Words of the page of one task. */
export const TASK = {
  provenance: {
    columns: ['Parameter', 'Value', 'Written by', 'Since'],
    writers: { constant: 'a constant of the flow', request: 'the request', step: 'step' },
    earlier: (count: number) => (count === 1 ? 'One earlier value' : `${count} earlier values`),
  },
} as const;
