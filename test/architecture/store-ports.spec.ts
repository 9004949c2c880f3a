import { expect, it } from '@jest/globals';
import ts from 'typescript';
import { nodesOf, readSourceTree, type SourceUnit } from './source-tree.js';

/** Methods that a further store has to implement, in all ports together. */
const METHODS_MAX = 50;

/** The ports that a store implements. */
const STORE_PORT = /(Store|StoreBackup|AuditLog|ExecutorRegistry|StartedTasks)$/;

function methodsIn({ path, tree }: SourceUnit): readonly string[] {
  if (!path.startsWith('libs/ports/src/')) return [];
  return nodesOf(tree).flatMap((node) => {
    if (!ts.isInterfaceDeclaration(node) || !STORE_PORT.test(node.name.text)) return [];
    return node.members
      .filter(ts.isMethodSignature)
      .map((method) => `${node.name.text}.${method.name.getText()}`);
  });
}

it('a store has few methods to implement', () => {
  const methods = readSourceTree().flatMap(methodsIn);
  expect(methods).toContain('RecordStore.put');
  expect(methods).toContain('TaskStore.commit');
  expect(methods.length).toBeLessThanOrEqual(METHODS_MAX);
});
