import { describe, expect, it } from '@jest/globals';
import { parseApprovals } from './approval-rules.js';
import { loadSettings, SettingsError } from './index.js';

describe('rules about what needs two people', () => {
  it('name actions and flows', () => {
    const text = 'terminate, skip,reset on create-*,pay needs two;  undo  on * needs two ;';
    expect(parseApprovals(text)).toEqual([
      {
        text: 'terminate, skip,reset on create-*,pay needs two',
        actions: ['terminate', 'skip', 'reset'],
        flows: ['create-*', 'pay'],
      },
      { text: 'undo on * needs two', actions: ['undo'], flows: ['*'] },
    ]);
  });

  it.each([
    ['', 'has no rule'],
    ['terminate on create-*', 'cannot be read'],
    ['terminate on create-* needs three', 'cannot be read'],
    ['terminate needs two', 'cannot be read'],
    ['stop on * needs two', 'no action "stop"'],
    ['approve on * needs two', 'no action "approve"'],
    ['terminate, on * needs two', 'no action ""'],
    ['terminate on a/b needs two', 'no flow "a/b"'],
    ['terminate on * needs two; nonsense', 'the rule "nonsense"'],
  ])('are not %j', (text, fault) => {
    expect(() => parseApprovals(text)).toThrow(fault);
  });

  it('stop a start at which nobody is asked who he is', () => {
    const env = { BACKSTEP_APPROVALS: 'terminate on * needs two' };
    expect(() => loadSettings({ cwd: '/nowhere', mode: 'start', env })).toThrow(SettingsError);
    const asking = { ...env, BACKSTEP_AUTH: 'keys' };
    expect(loadSettings({ cwd: '/nowhere', mode: 'start', env: asking }).approvals).toHaveLength(1);
  });
});
