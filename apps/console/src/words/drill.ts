/** Words of how flows fared in their drills. */
export const DRILL = {
  never: 'Never drilled',
  passed: 'Drilled',
  failed: (failures: number, total: number) => `Drill failed: ${failures} of ${total}`,
  at: (version: number) => `at version ${version}`,
} as const;
