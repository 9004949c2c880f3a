/** Without a type, as only `rollback` may be null. */
export const action = {
  required: ['module', 'command'],
  additionalProperties: false,
  properties: {
    module: {
      $ref: '#/$defs/name',
      description: 'The module whose executor runs the command.',
      examples: ['mysql'],
    },
    command: {
      $ref: '#/$defs/name',
      description: 'Name of the command.',
      examples: ['init_instance'],
    },
    timeout: {
      $ref: '#/$defs/duration',
      description: 'Time for all attempts together, from the first start. Default: 300 seconds.',
    },
    attemptTimeout: {
      $ref: '#/$defs/duration',
      description: 'Time for one attempt. Default: only `timeout` counts.',
    },
    retry: { $ref: '#/$defs/retry' },
    onCrash: { $ref: '#/$defs/onCrash' },
    parameters: {
      title: 'an object',
      description:
        'Constants and expressions for this action alone; they win over all other' +
        ' parameters of the same name.',
      type: 'object',
      examples: [{ role: 'primary' }],
    },
  },
};
