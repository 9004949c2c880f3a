import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readAccess } from './read-access.js';

const first = (binding: string): string => `{\n  "bindings": [\n    ${binding}\n  ]\n}`;

describe('a text of bindings', () => {
  it('may have comments, commas at the end and a schema', () => {
    const text = `{
      "$schema": "x", // for editors
      "bindings": [
        { "subject": "spiffe://a/*", "by": "mtls", "role": "worker", "where": { "modules": ["m"] } },
        { "group": "g", "role": "viewer", "where": { "flows": ["a-*"], "labels": { "t": "u" } } },
      ],
    }`;
    const none = { flows: null, labels: null, modules: null };
    expect(readAccess(text)).toEqual({
      problem: null,
      bindings: [
        {
          ...{ ...none, modules: ['m'] },
          ...{ to: 'subject', pattern: 'spiffe://a/*', way: 'mtls', role: 'worker' },
        },
        {
          ...{ ...none, flows: ['a-*'], labels: { t: 'u' } },
          ...{ to: 'group', pattern: 'g', way: null, role: 'viewer' },
        },
      ],
    });
  });

  it('may be the one that the documentation shows', () => {
    const page = new URL('../../../docs/access.md', import.meta.url);
    const [, shown = ''] = /```jsonc\n([^`]*)```/.exec(readFileSync(page, 'utf8')) ?? [];
    expect(readAccess(shown)).toMatchObject({ problem: null, bindings: [{}, {}, {}] });
  });

  it.each([
    ['', '1:1: The file is empty.'],
    ['{', '1:2: The end stands where } should be.'],
    ['[]', 'The file must be an object, but is a list.'],
    ['null', '1:1: The file must be an object, but is null.'],
    ['{}', '1:1: `bindings` is missing.'],
    ['{ "bindings": {} }', '1:3: `bindings` must be a list, but is an object.'],
    ['{ "bindings": [], "more": 1 }', '1:19: The file cannot have a member `more`.'],
    ['{ "bindings": [], "bindings": [] }', '1:19: `bindings` is there twice.'],
    [first('"a"'), '3:5: Binding 1 must have `subject` or `group`'],
    [first('{ "role": "viewer" }'), '3:5: Binding 1 must have `subject` or `group`, and not both.'],
    [first('{ "subject": "a", "group": "b", "role": "viewer" }'), '3:5: Binding 1 must have'],
    [first('{ "group": "a" }'), '3:5: `role` is missing.'],
    [first('{ "group": "a", "role": "root" }'), '3:21: `bindings.0.role` must be "viewer" or'],
    [first('{ "group": "", "role": "viewer" }'), '3:7: `bindings.0.group` must have at least'],
    [
      first('{ "group": "a", "role": "viewer", "when": {} }'),
      '3:39: `bindings.0` cannot have a member `when`.',
    ],
    [
      first('{ "group": "a", "role": "viewer", "by": "keys" }'),
      '3:39: `bindings.0.by` must be "oidc" or "mtls" or "proxy".',
    ],
    [
      first('{ "group": "a", "role": "viewer", "where": { "flow": ["a"] } }'),
      '3:50: `bindings.0.where` cannot have a member `flow`.',
    ],
    [
      first('{ "group": "a", "role": "viewer", "where": { "flows": [] } }'),
      '3:50: `bindings.0.where.flows` must have at least',
    ],
    [
      first('{ "group": "a", "role": "viewer", "where": { "flows": ["a b"] } }'),
      '3:60: `bindings.0.where.flows.0` does not have the form',
    ],
    [
      first('{ "group": "a", "role": "viewer", "where": { "labels": { "a": ["b"] } } }'),
      '3:62: `bindings.0.where.labels.a` must be text',
    ],
    [
      first('{ "group": "a", "role": "viewer", "where": { "labels": { "a=b": "c" } } }'),
      '3:62: `a=b` is not a name that is allowed here.',
    ],
  ])('%j is refused', (text, sentence) => {
    expect(readAccess(text).problem).toContain(sentence);
  });
});
