import assert from 'node:assert/strict';
import { isRefusal, request } from '../judge.js';
import { membersOf } from '../exchange.js';
import type { Reproduction, Subject } from '../reproduction.js';

const MIB = 1_000_000;
const STEP = { normal: { module: 'lab', command: 'succeed' } };

const flowWith = (input: string): string =>
  `{"x":{"input":${input},"steps":[${JSON.stringify(STEP)}]}}`;

/** The same part, with its number, until the text is as long as a flow text may be. */
function filled(part: (n: number) => string): string {
  const parts: string[] = [];
  for (let n = 0, size = 0; size < MIB; n += 1) {
    const next = part(n);
    parts.push(next);
    size += next.length + 1;
  }
  return parts.join(',');
}

/** Schemas of a megabyte, by what there is too much of. */
export const HUGE_SCHEMAS: Readonly<Record<string, () => string>> = {
  'dependent members': () => `{"dependentRequired":{${filled((n) => `"d${n}":["x"]`)}}}`,
  'required members': () => `{"required":[${filled((n) => `"r${n}"`)}]}`,
  'dependents of one member': () => `{"dependentRequired":{"a":[${filled((n) => `"r${n}"`)}]}}`,
  properties: () => `{"properties":{${filled((n) => `"p${n}":{"type":"string"}`)}}}`,
  values: () => `{"properties":{"a":{"enum":[${filled((n) => `"v${n}"`)}]}}}`,
  'values that are objects': () => `{"properties":{"a":{"enum":[${filled((n) => `{"a":${n}}`)}]}}}`,
  patterns: () => `{"patternProperties":{${filled((n) => `"^p${n}$":true`)}}}`,
  choices: () => `{"properties":{"a":{"anyOf":[${filled((n) => `{"const":${n}}`)}]}}}`,
  types: () => `{"properties":{"a":{"type":[${filled(() => '"string"')}]}}}`,
  text: () => `{"description":"${'x'.repeat(MIB)}"}`,
  'a pattern': () => `{"properties":{"a":{"pattern":"${'(a|b)'.repeat(MIB / 5)}"}}}`,
  levels: () => `${'{"items":'.repeat(50_000)}true${'}'.repeat(50_000)}`,
  nots: () => `${'{"not":'.repeat(900)}true${'}'.repeat(900)}`,
};

const huge = Object.entries(HUGE_SCHEMAS).map(([what, schema]): Reproduction => ({
  rule: `a flow text with a huge input schema is judged at once: ${what}`,
  sends: 'POST /v1/flows:validate, a text of a megabyte',
  play: async (stand) => {
    const reply = await stand.send({ path: '/v1/flows:validate', body: flowWith(schema()) });
    const said = `${reply.status} ${reply.text.slice(0, 200)}`;
    assert.ok(reply.status === 200 || isRefusal(reply), said);
    assert.ok(reply.ms <= stand.within(1_500), `${Math.round(reply.ms)} ms`);
    if (reply.status === 200) assert.equal(typeof membersOf(reply)['valid'], 'boolean', said);
    assert.ok(reply.text.length < 300_000, `the answer has ${reply.text.length} characters`);
  },
}));

const wide = {
  steps: [
    { name: 'root', ...STEP },
    ...Array.from({ length: 999 }, (_, n) => ({ name: `s${n}`, needs: ['root'], ...STEP })),
  ],
};

/** Texts that are to become flows. */
export const flowTexts: Subject = {
  name: 'flow texts',
  reproductions: [
    request(
      {
        rule: 'a flow text that any web page could send is not taken',
        sends: 'POST /v1/flows:validate as text/plain',
      },
      {
        path: '/v1/flows:validate',
        body: flowWith('{}'),
        headers: { 'content-type': 'text/plain' },
      },
      { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
    ),
    request(
      {
        rule: 'a flow text with comments is taken under its own name',
        sends: 'POST /v1/flows:validate as application/jsonc',
      },
      {
        path: '/v1/flows:validate',
        body: `// a comment\n${flowWith('{"type":"object"}')}`,
        headers: { 'content-type': 'application/jsonc' },
      },
      { status: 200 },
    ),
    ...huge,
    {
      rule: 'many large schemas one after the other leave no memory behind',
      sends: 'POST /v1/flows:validate, six texts of a megabyte, each another one',
      limitMs: 180_000,
      play: async (stand) => {
        for (let turn = 0; turn < 6; turn += 1) {
          const schema = `{"dependentRequired":{${filled((n) => `"d${turn}${n}":["x"]`)}}}`;
          const reply = await stand.send({ path: '/v1/flows:validate', body: flowWith(schema) });
          assert.ok(reply.status < 500, `${reply.status}`);
        }
      },
    },
    {
      rule: 'a flow of a thousand steps side by side is taken',
      sends: 'POST /v1/flows:validate, a root and 999 steps that need it',
      play: async (stand) => {
        const reply = await stand.send({ path: '/v1/flows:validate', body: { wide } });
        assert.equal(membersOf(reply)['valid'], true);
      },
    },
  ],
};
