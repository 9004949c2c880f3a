import { durationOrExpression, errorCode, moment } from './values.js';

/** Time that something is waited for, and what becomes of the step when it is over. */
const limits = {
  timeout: { $ref: '#/$defs/duration', description: 'Longest wait. Default: no limit.' },
  onTimeout: {
    title: '"fail" or "continue"',
    description:
      'When `timeout` is over: the step fails with SIGNAL_TIMEOUT (default), or has' +
      ' succeeded.',
    enum: ['fail', 'continue'],
    default: 'fail',
  },
};

export const set = {
  title: 'an object',
  description: 'Puts these values into the parameters; texts `{% ... %}` are expressions.',
  type: 'object',
  minProperties: 1,
  examples: [{ total: '{% price * count %}' }],
};

export const wait = {
  title: 'an object with `for`, `until` or `signal`',
  description: 'Waits for a duration, a moment, or a signal that is sent to the task.',
  type: 'object',
  oneOf: [{ required: ['for'] }, { required: ['until'] }, { required: ['signal'] }],
  dependentRequired: { timeout: ['signal'], onTimeout: ['signal'] },
  additionalProperties: false,
  examples: [{ for: '10m' }, { signal: 'paid', timeout: '24h' }],
  properties: {
    for: { ...durationOrExpression, description: 'Length of the wait.' },
    until: { ...moment, description: 'End of the wait; a moment in the past ends it at once.' },
    signal: {
      $ref: '#/$defs/name',
      description: 'Name of the signal that ends the wait; its payload is the output.',
      examples: ['paid'],
    },
    ...limits,
  },
};

export const approve = {
  title: 'an object with `title`',
  description: "Waits for a person's yes or no. After a no it fails: REJECTED.",
  type: 'object',
  required: ['title'],
  additionalProperties: false,
  examples: [{ title: 'Delete the volume?', roles: ['operator'] }],
  properties: {
    title: {
      title: 'text',
      description: 'The question, text or an expression `{% ... %}`.',
      type: 'string',
      minLength: 1,
      examples: ['Delete the volume?'],
    },
    roles: {
      title: 'a list of names of roles',
      description: 'Roles that may answer. Default: everybody who may act on the task.',
      type: 'array',
      maxItems: 20,
      uniqueItems: true,
      items: { $ref: '#/$defs/name', examples: ['operator'] },
      examples: [['operator']],
    },
    notBy: {
      title: '"starter"',
      description:
        'The person who started the task cannot say yes. Default: everybody who is asked may.',
      enum: ['starter'],
      examples: ['starter'],
    },
    ...limits,
  },
};

export const succeed = {
  title: 'true, or an object with `output`',
  description:
    'Ends the task early, as succeeded. Running steps end first; no new step is started.',
  type: ['boolean', 'object'],
  not: { const: false },
  required: ['output'],
  additionalProperties: false,
  examples: [true, { output: { state: 'there already' } }],
  properties: {
    output: { description: 'Output of the task; it may have expressions. Default: null.' },
  },
};

export const fail = {
  title: 'an object with `code` and `message`',
  description: 'Fails with this code.',
  type: 'object',
  required: ['code', 'message'],
  additionalProperties: false,
  examples: [{ code: 'QUOTA', message: 'No room is left.' }],
  properties: {
    code: { ...errorCode, description: 'Code of the failure, as `catch` names it.' },
    message: {
      title: 'text',
      description: 'The reason for people, text or an expression `{% ... %}`.',
      type: 'string',
      examples: ['No room is left.'],
    },
  },
};
