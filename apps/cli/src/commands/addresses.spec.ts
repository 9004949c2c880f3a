import { expect, it } from '@jest/globals';
import { addressLines } from './addresses.js';

it('the addresses of a host are those of its pages', () => {
  expect(addressLines('http://127.0.0.1:7070/').map((line) => line.slice(12))).toEqual([
    'http://127.0.0.1:7070',
    'http://127.0.0.1:7070/console/',
    'http://127.0.0.1:7070/docs (OpenAPI: http://127.0.0.1:7070/openapi.json)',
    'http://127.0.0.1:7070/modules/resource/hosts',
    'http://127.0.0.1:7070/metrics',
  ]);
});

it('a socket has no address that a browser could open, and commands that a shell takes', () => {
  expect(addressLines("unix:/tmp/it's here").map((line) => line.slice(12))).toEqual([
    "unix:/tmp/it's here (for this user alone)",
    "curl --unix-socket '/tmp/it'\\''s here' http://localhost/openapi.json",
    "curl --unix-socket '/tmp/it'\\''s here' http://localhost/metrics",
  ]);
});
