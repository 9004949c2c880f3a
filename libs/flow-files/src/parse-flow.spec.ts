import { describe, expect, it } from '@jest/globals';
import { parseFlow } from './parse-flow.js';
import { parseFlowFile } from './parse-flow-file.js';

const STEPS = '[{"normal": {"module": "m", "command": "c"}}]';

describe('the text of one flow', () => {
  it.each([STEPS, `{"steps": ${STEPS}}`, `// a chain\n${STEPS} // done`, `\uFEFF${STEPS}`])(
    'means what it means in a file: %j',
    (text) => {
      const [inFile] = parseFlowFile(`{"a": ${STEPS}}`).flows;
      const reading = parseFlow('a', text);
      expect(reading).toMatchObject({
        kind: 'sound',
        flow: { definition: inFile?.definition, hash: inFile?.hash },
      });
    },
  );

  it('has problems with places of its own', () => {
    expect(parseFlow('a', '{\n  "stepz": [],\n  "steps": [{}]\n}')).toMatchObject({
      kind: 'unsound',
      problems: [
        { code: 'UNKNOWN_MEMBER', pointer: '/stepz', line: 2, column: 3 },
        { code: 'MISSING_MEMBER', pointer: '/steps/0', line: 3, column: 13 },
      ],
    });
  });

  it('has warnings with places of its own', () => {
    expect(parseFlow('a', STEPS)).toMatchObject({
      flow: { warnings: [{ code: 'NO_INPUT', pointer: '', line: 1, column: 1 }] },
    });
  });

  it.each(['', '{', '3', 'null', '[]', `${STEPS}, "b": ${STEPS}`, `${STEPS}}, {`, '// nothing'])(
    'is unsound: %j',
    (text) => {
      const reading = parseFlow('a', text);
      expect(reading.kind).toBe('unsound');
      expect(reading).toMatchObject({ problems: [{ line: 1 }] });
    },
  );
});
