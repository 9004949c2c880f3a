import { describe, expect, it } from '@jest/globals';
import { readReturnPage } from './return-page.js';

describe('the page that somebody comes back to', () => {
  it.each([
    ['/console/', '/console/'],
    ['/console/tasks?q=status%3Alive#top', '/console/tasks?q=status%3Alive#top'],
    ['/console/tasks/../flows', '/console/flows'],
    ['/console/é', '/console/%C3%A9'],
  ])('is %s', (text, page) => {
    expect(readReturnPage(text)).toBe(page);
  });

  it.each([
    'https://elsewhere.example/console/',
    '//elsewhere.example/console/',
    '/\\elsewhere.example/console/',
    '\\\\elsewhere.example/console/',
    '\t//elsewhere.example/console/',
    '/console/..//elsewhere.example/',
    '/console/../../elsewhere',
    '/console',
    '/consoles/',
    '/v1/tasks',
    'console/tasks',
    'javascript:alert(1)',
    'http:/console/',
    'http://console.invalid@elsewhere.example/console/',
    '',
    `/console/${'x'.repeat(1_000)}`,
    `/console/${'é'.repeat(500)}`,
  ])('is not %j', (text) => {
    expect(readReturnPage(text)).toBeNull();
  });
});
