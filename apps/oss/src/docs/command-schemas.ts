import { PAGE } from './schema-parts.js';

const text = { type: 'string' };
const action = {
  type: 'object',
  required: ['module', 'command'],
  properties: { module: text, command: text },
};
const defaults = {
  description: { ...text, description: 'For readers.' },
  timeout: { type: ['string', 'number'], description: 'As a flow file writes it.' },
  attemptTimeout: { type: ['string', 'number'], description: 'As a flow file writes it.' },
  retry: { type: ['integer', 'object'], description: 'As a flow file writes it.' },
  onCrash: { description: 'As a flow file writes it.' },
  rollback: {
    oneOf: [action, { type: 'null' }],
    description: 'Used by steps without a rollback of their own; null: there is nothing to undo.',
  },
};
const command = {
  type: 'object',
  required: ['module', 'command', 'timeUpdate'],
  properties: { module: text, command: text, timeUpdate: { type: 'integer' }, ...defaults },
};

/** The schemas of what flows inherit, by name. */
export const COMMAND_SCHEMAS: Readonly<Record<string, object>> = {
  CommandDefaults: { type: 'object', additionalProperties: false, properties: defaults },
  Command: command,
  Commands: {
    type: 'object',
    required: ['items', 'page'],
    properties: {
      items: { type: 'array', items: { $ref: '#/components/schemas/Command' } },
      page: PAGE,
    },
  },
};
