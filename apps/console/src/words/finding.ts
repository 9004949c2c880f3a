/** Words of the palette, and of the suggestions for searches. */
export const FINDING = {
  palette: {
    title: 'Go to, or do',
    box: 'Command',
    hint: 'A page, a flow, an action, or part of the id of a task',
    none: 'Nothing fits.',
    count: 'fit',
    open: 'Go to, or do (Ctrl K)',
    kinds: {
      action: 'Action',
      page: 'Page',
      flow: 'Flow',
      task: 'Task',
      setting: 'Setting',
    },
  },
  suggestions: {
    title: 'Suggestions',
    count: 'suggestions; arrow down goes to them',
    one: 'suggestion; arrow down goes to it',
    notes: {
      flow: 'of a flow',
      status: 'in a state',
      waits: 'that wait for a person',
      parent: 'without child tasks',
      step: 'that are at a step',
      module: 'that are at a step of a module',
      executor: 'of which an executor runs a step',
      stage: 'that have come to a step',
      age: 'by when they were created',
      text: 'whose message has this',
      label: 'with a label',
      operator: 'that this person or program asked for',
      client: 'asked for from an address',
      requestId: 'of a request',
    },
  },
} as const;
