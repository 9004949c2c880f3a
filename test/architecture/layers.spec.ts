import { describe, expect, it } from '@jest/globals';
import { forbiddenImports } from './layer-rules.js';
import { parse, readSourceTree } from './source-tree.js';

const REFUSED = [
  ['libs/core/src/a.ts', '#ports'],
  ['libs/core/src/a.ts', 'rxjs'],
  ['libs/core/src/a.ts', 'node:crypto'],
  ['libs/core/src/task/a.ts', '../scopes/b.js'],
  ['libs/core/src/task/a.ts', '../attic/b.js'],
  ['libs/core/src/attic/a.ts', '../task/b.js'],
  ['libs/ports/src/a.ts', '#engine'],
  ['libs/ports/src/a.ts', 'fs'],
  ['libs/engine/src/a.ts', '#store-mongodb'],
  ['libs/engine/src/a.ts', '#wording'],
  ['libs/wording/src/a.ts', '#core'],
  ['libs/wording/src/a.ts', 'node:util'],
  ['libs/core/src/a.ts', '#json'],
  ['libs/engine/src/a.ts', '#json'],
  ['libs/json/src/a.ts', '#ports'],
  ['libs/seams/src/a.ts', '#core'],
  ['libs/engine/src/a.ts', '#seams/node'],
  ['libs/platform/src/a.ts', '#seams/nest/a'],
  ['libs/expressions/src/a.ts', '#flow-files'],
  ['libs/settings/src/a.ts', '#expressions'],
  ['libs/engine/src/a.ts', '@nestjs/common'],
  ['libs/engine/src/a.ts', '#testing'],
  ['libs/store-mongodb/src/a.ts', '#store-sqlite'],
  ['libs/store-mongodb/src/a.ts', '#engine'],
  ['libs/transport-rabbitmq/src/a.ts', '#process'],
  ['libs/transport-rabbitmq/src/a.ts', 'backstep'],
  ['libs/barrier/src/a.ts', '#platform'],
  ['libs/testing/src/a.ts', '#store-sqlite'],
  ['libs/testing/src/a.ts', '#testing'],
  ['libs/process/src/a.ts', '#testing'],
  ['libs/process/src/a.ts', '../../core/src/index.js'],
  ['libs/process/src/a.ts', '../../../apps/oss/src/index.js'],
  ['libs/process/src/a.ts', '../../../test/a.js'],
  ['apps/console/src/a.tsx', '#core'],
  ['apps/console/src/a.ts', '../../oss/src/index.js'],
  ['apps/oss/src/a.ts', '../../../schemas/flow.v1.json'],
  ['apps/lab/src/a.ts', '../../../schemas/http-api.js'],
  ['libs/engine/src/a.ts', '../../../schemas/http-api.js'],
  ['apps/oss/src/a.ts', '#engine/task'],
  ['apps/oss/src/a.ts', 'backstep/internal'],
  ['apps/oss/src/a.ts', '../../../libs/core/src/index.js'],
  ['apps/oss/src/a.ts', '../../resource/src/index.js'],
  ['apps/oss/src/a.ts', '../../../bench/a.js'],
  ['apps/oss/src/a.ts', '#testing'],
  ['apps/cli/src/a.ts', '../../oss/src/oss.module.js'],
  ['apps/oss/src/a.ts', '#workshop/rehearsal'],
  ['libs/process/src/a.ts', '#workshop/drill'],
  ['apps/cli/src/a.ts', '#workshop/drill/stage'],
  ['apps/cli/src/a.ts', '../../../workshop/drill/index.js'],
  ['workshop/drill/a.ts', '#workshop/drill'],
  ['workshop/drill/a.ts', '../rehearsal/play.js'],
  ['workshop/drill/a.ts', '../../apps/cli/src/exit.js'],
  ['workshop/rehearsal/a.ts', '#process'],
  ['workshop/drawing/a.ts', 'node:fs'],
  ['test/e2e/a.ts', '../../libs/core/src/task.js'],
];

const ALLOWED = [
  ['libs/core/src/a.ts', './b.js'],
  ['libs/core/src/scopes/a.ts', '../task/b.js'],
  ['libs/core/src/scopes/a.ts', '../assert.js'],
  ['libs/core/src/task/a.spec.ts', '../scopes/b.js'],
  ['libs/core/src/index.ts', './scopes/b.js'],
  ['libs/core/src/a.spec.ts', '@jest/globals'],
  ['libs/core/src/a.spec.ts', '#testing'],
  ['libs/ports/src/a.ts', '#core'],
  ['libs/engine/src/a.ts', '#ports'],
  ['libs/store-mongodb/src/a.ts', 'mongodb'],
  ['libs/store-mongodb/src/a.ts', '#json'],
  ['libs/json/src/a.ts', '#core'],
  ['libs/transport-rabbitmq/src/a.ts', '#seams/amqplib'],
  ['libs/testing/src/a.ts', '#engine'],
  ['libs/settings/src/a.ts', '#wording'],
  ['libs/flow-files/src/a.ts', '#expressions'],
  ['libs/process/src/a.ts', '#store-mongodb'],
  ['apps/console/src/a.ts', '../../../schemas/flow.v1.json'],
  ['apps/console/src/a.ts', '../../../schemas/http-api.js'],
  ['apps/cli/src/a.ts', '../../../schemas/http-api.js'],
  ['apps/oss/src/a.ts', '../../../schemas/http-api.js'],
  ['libs/worker/src/a.ts', '../../../schemas/http-api.js'],
  ['apps/oss/src/a/b.ts', '../c.js'],
  ['apps/oss/src/a.ts', '#process'],
  ['apps/lab/src/a.ts', '#testing'],
  ['apps/cli/src/a.ts', '../../oss/src/index.js'],
  ['apps/cli/src/a.ts', '#workshop/rehearsal'],
  ['workshop/drill/a.ts', '#workshop/rehearsal'],
  ['workshop/drill/a.ts', '../../apps/standalone/src/index.js'],
  ['workshop/import/a.ts', '#expressions'],
  ['examples/hello/main.ts', 'backstep'],
  ['bench/main.ts', '#testing'],
  ['test/e2e/a.ts', '../../apps/oss/src/index.js'],
];

function check(file: string, specifier: string): string[] {
  return forbiddenImports(parse(file, `import { a } from '${specifier}';`));
}

describe('imports', () => {
  it('follow the arrows everywhere', () => {
    expect(readSourceTree().flatMap(forbiddenImports)).toEqual([]);
  });

  it.each(REFUSED)('from %s of %s are refused', (file = '', specifier = '') => {
    expect(check(file, specifier)).toHaveLength(1);
  });

  it.each(ALLOWED)('from %s of %s are allowed', (file = '', specifier = '') => {
    expect(check(file, specifier)).toEqual([]);
  });

  it.each([
    "export { a } from '#engine';",
    "const a = await import('#engine');",
    "type A = import('#engine').A;",
    "import type { A } from '#engine';",
    "import '#engine';",
  ])('are seen in the form `%s`', (text) => {
    expect(forbiddenImports(parse('libs/core/src/a.ts', text))).toHaveLength(1);
  });
});
