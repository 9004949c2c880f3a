import { body, json, type Operation, READS, WRITES } from './operation.js';

/** The requests about what flows inherit of commands. */
export const COMMAND_OPERATIONS: readonly Operation[] = [
  {
    route: 'GET /v1/commands',
    id: 'listCommands',
    summary: 'All commands of which flows inherit something',
    tag: 'flows',
    answers: { 200: json('By module and command', 'Commands') },
    problems: READS,
  },
  {
    route: 'GET /v1/commands/{module}/{command}',
    id: 'getCommand',
    summary: 'What flows inherit of a command',
    tag: 'flows',
    parameters: ['module', 'command'],
    answers: { 200: json('As it was written', 'Command') },
    problems: [...READS, 'NOT_FOUND'],
  },
  {
    route: 'PUT /v1/commands/{module}/{command}',
    id: 'putCommand',
    summary: 'Say what flows inherit of a command; it takes the place of what was said before',
    tag: 'flows',
    parameters: ['module', 'command'],
    body: body('CommandDefaults'),
    answers: { 200: json('As it was written', 'Command') },
    problems: [...WRITES, 'INVALID_FLOW'],
  },
  {
    route: 'DELETE /v1/commands/{module}/{command}',
    id: 'removeCommand',
    summary: 'Have flows inherit nothing of a command any more',
    tag: 'flows',
    parameters: ['module', 'command'],
    answers: { 204: { description: 'Nothing is inherited' } },
    problems: [...WRITES, 'NOT_FOUND'],
  },
];
