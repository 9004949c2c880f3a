/** Words about one step that runs by itself. */
export const ONLY_STEP = {
  steps: 'Steps to run',
  all: 'all of them',
  only: (name: string) => `only ${name}`,
  given: 'Outputs of the steps before it (JSON object)',
  givenBroken: 'The outputs are not a JSON object.',
  about: 'The steps before it count as done: they are neither run nor undone.',
  run: 'Run this step by itself',
  again: 'Run this step by itself once more',
  fact: 'One step alone',
};
