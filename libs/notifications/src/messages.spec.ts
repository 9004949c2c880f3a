import { describe, expect, it } from '@jest/globals';
import { NOTIFICATION_KINDS } from '#ports';
import { sampleDelivery } from '#testing';
import { messageText, pagerdutyBody, slackBody, webhookBody } from './messages.js';

const ORIGIN = 'https://backstep.example';

function told(kind: (typeof NOTIFICATION_KINDS)[number] | 'test', subject: string) {
  return { ...sampleDelivery('1'), kind, subject, message: 'Something happened' };
}

describe('a message for people', () => {
  it.each([
    ['stuck', 'id-1', 'tasks/id-1', 'backstep task why id-1'],
    ['held', 'id-1', 'tasks/id-1', 'backstep task why id-1'],
    ['waiting', 'id-1', 'tasks/id-1', 'backstep task why id-1'],
    ['deadline_at_risk', 'id-1', 'tasks/id-1', 'backstep task why id-1'],
    ['failed', 'id-1', 'tasks/id-1', 'backstep task get id-1'],
    ['executor_gone', 'mysql', 'executors', 'backstep executor list'],
    ['backlog', 'mysql', 'executors', 'backstep executor list'],
    ['schedule_missed', 'nightly', 'schedules', 'backstep schedule why nightly'],
  ] as const)('of %s ends with a link and a command', (...[kind, subject, page, command]) => {
    const lines = messageText(told(kind, subject), ORIGIN).split('\n');
    expect(lines).toEqual([
      `Something happened (${subject})`,
      `${ORIGIN}/console/${page}  ${command}`,
    ]);
  });

  it('has the command alone where the public address is not known', () => {
    const text = messageText(told('stuck', 'id-1'), null);
    expect(text.split('\n')[1]).toBe('backstep task why id-1');
  });

  it('asks nobody to look into what is over', () => {
    const over = { ...told('stuck', 'id-1'), phase: 'resolved' } as const;
    expect(messageText(over, null)).toBe('Over: Something happened (id-1)');
  });

  it.each([...NOTIFICATION_KINDS, 'test'] as const)('of %s has a link in all channels', (kind) => {
    const delivery = told(kind, 'some-name');
    const { url } = webhookBody(delivery, ORIGIN);
    expect(url).toMatch(/^https:\/\/backstep\.example\/console\/[a-z]+/);
    expect(slackBody(delivery, ORIGIN)).toMatchObject({ text: expect.stringContaining(`${url}`) });
    const paged = pagerdutyBody({ delivery, publicUrl: ORIGIN, routingKey: 'k' });
    expect(paged).toMatchObject({ links: [{ href: url }], payload: { custom_details: { url } } });
    expect(pagerdutyBody({ delivery, publicUrl: null, routingKey: 'k' })).not.toHaveProperty(
      'links',
    );
  });
});
