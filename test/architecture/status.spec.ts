import { describe, expect, it } from '@jest/globals';
import { parse, readSourceTree } from './source-tree.js';
import { orderedStatus } from './status-rules.js';

describe('the numbers of public status', () => {
  it('are nowhere compared by their order', () => {
    expect(readSourceTree().flatMap(orderedStatus)).toEqual([]);
  });

  it.each([
    'if (status <= TASK_STATUS.running) go();',
    'if (TASK_STATUS.rolling_back > now) go();',
    'const isBack = task.status >= 3;',
    'const isBack = 2 < status;',
  ])('are seen in `%s`', (text) => {
    expect(orderedStatus(parse('libs/core/src/a.ts', text))).toHaveLength(1);
  });

  it.each(['if (status === TASK_STATUS.running) go();', 'if (statuses.length > 1) go();'])(
    'are not seen in `%s`',
    (text) => {
      expect(orderedStatus(parse('libs/core/src/a.ts', text))).toEqual([]);
    },
  );

  it('are not those of HTTP', () => {
    expect(orderedStatus(parse('apps/cli/src/a.ts', 'if (status >= 500) go();'))).toEqual([]);
  });
});
