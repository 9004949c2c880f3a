const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };

function object(properties: Readonly<Record<string, object>>): object {
  return { type: 'object', required: Object.keys(properties), properties };
}

function listOf(items: object): object {
  return { type: 'array', items };
}

/** The schemas of what would happen, and of who is there to do it. */
export const OUTLOOK_SCHEMAS: Readonly<Record<string, object>> = {
  RollbackPlan: object({
    items: listOf(
      object({
        step: text,
        id: { ...text, description: 'Of the run.' },
        module: text,
        command: text,
        parameters: { type: 'object' },
        served: { type: 'boolean', description: 'An executor is there that has the command.' },
      }),
    ),
    pivot: { ...textOrNull, description: 'The step past which nothing goes back.' },
    leftOver: {
      ...listOf(object({ step: text, id: text })),
      description: 'Steps that may have had an effect, and have no rollback.',
    },
    obstacle: { ...textOrNull, description: 'Why the task would not go back at all.' },
    isCut: { type: 'boolean', description: 'There are more than the 1,000 that are shown.' },
  }),
  Executors: object({
    items: listOf(
      object({
        module: text,
        instance: text,
        host: text,
        version: text,
        commands: listOf(object({ name: text })),
        lastSeen: { type: 'string', format: 'date-time' },
      }),
    ),
  }),
};
