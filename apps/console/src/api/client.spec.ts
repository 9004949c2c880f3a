import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { api } from './client.js';
import type { Notification } from './shapes.js';

const BODY = {
  on: ['failed'],
  channel: { type: 'slack', url: 'https://hooks.example/x' },
} as const;

afterEach(() => jest.spyOn(globalThis, 'fetch').mockRestore());

describe('a notification that is stored', () => {
  it.each([
    ['replaces none that is there under its name', null, ['*', null]],
    ['replaces the one that the person saw', { generation: 3 } as Notification, [null, '"3"']],
  ])('%s', async (_, before, conditions) => {
    const sent = jest.spyOn(globalThis, 'fetch');
    sent.mockImplementation(async () => Response.json({}));
    await api.putNotification('oncall', BODY, before);
    const headers = new Headers(sent.mock.calls[0]?.[1]?.headers);
    expect([headers.get('if-none-match'), headers.get('if-match')]).toEqual(conditions);
  });
});
