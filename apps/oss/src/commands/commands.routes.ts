import { placeCursor, wholePageLimit } from '../requests/page.query.js';
import { RequestQuery } from '../requests/request-query.js';
import { body, json, READS, type Routes, WRITES } from '../requests/route.js';

/** The query of `GET /v1/commands`; the place of a command is its id. */
const COMMANDS_QUERY = new RequestQuery({
  limit: wholePageLimit('commands'),
  cursor: placeCursor(),
});

/** The requests about what flows inherit of commands. */
export const COMMAND_ROUTES = {
  listCommands: {
    at: 'GET /v1/commands',
    need: { role: 'viewer' },
    summary: 'List commands with stored defaults, which flows inherit',
    description:
      'A step that leaves out a timeout, a retry or a rollback gets it from here. Only ' +
      'commands with stored defaults are listed.',
    query: COMMANDS_QUERY,
    answers: { 200: json('One page, by module and command', 'Commands') },
    problems: READS,
  },
  getCommand: {
    at: 'GET /v1/commands/{module}/{command}',
    need: { role: 'viewer' },
    summary: 'The defaults of a command, which flows inherit',
    description:
      'Shows what a step with this command gets unless it says otherwise. Only stored ' +
      'defaults are shown, not those of the settings.',
    parameters: ['module', 'command'],
    answers: { 200: json('As it was written', 'Command') },
    problems: [...READS, 'NOT_FOUND'],
  },
  putCommand: {
    at: 'PUT /v1/commands/{module}/{command}',
    need: { role: 'author' },
    summary: 'Store the defaults of a command, which flows inherit; they replace earlier ones',
    description:
      'All earlier defaults of the command are replaced. A key that is limited to flows or ' +
      'labels may not store any, because every flow inherits them.',
    parameters: ['module', 'command'],
    body: body('CommandDefaults'),
    answers: { 200: json('As it was written', 'Command') },
    problems: [...WRITES, 'INVALID_FLOW'],
  },
  removeCommand: {
    at: 'DELETE /v1/commands/{module}/{command}',
    need: { role: 'author' },
    summary: 'Remove the defaults of a command',
    description:
      'Flows that relied on them get the general defaults again. A command without stored ' +
      'defaults is not found.',
    parameters: ['module', 'command'],
    answers: { 204: { description: 'They are removed' } },
    problems: [...WRITES, 'NOT_FOUND'],
  },
} as const satisfies Routes;
