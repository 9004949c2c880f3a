import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { publicNames } from './door-rules.js';
import { readSourceTree } from './source-tree.js';

/**
 * The exports of the package, entry by entry: `kind name`. Users of the package depend on these, so
 * a change here is a decision for an ADR and the change log.
 */
const PUBLIC: Readonly<Record<string, readonly string[]>> = {
  '.': [
    'function Command',
    'type CommandContext',
    'type CommandMethod',
    'type CommandOptions',
    'type CommandResult',
    'type CompleteLater',
    'type CompleteLaterOptions',
    'type Duration',
    'function Executor',
    'type ExecutorProcess',
    'function KeepsMarks',
    'type LookAgain',
    'type MarksMethod',
    'type ProcessHandle',
    'function ReportsResidue',
    'type Residue',
    'type ResidueMethod',
    'class RetryableError',
    'type RetryableOptions',
    'class SecretNotFound',
    'type SecretPlace',
    'type SecretResolver',
    'class SecretStoreAway',
    'class StoreUnavailable',
    'class SystemClock',
    'class TerminalError',
    'type TerminalOptions',
    'function completeLater',
    'function lookAgain',
    'function runExecutor',
  ],
  './barrier': [
    'const BARRIER_TABLE',
    'class BarrierRefusal',
    'class IntentBarrier',
    'type IntentLog',
    'type Inverse',
    'class MongoBarrier',
    'type MongoBarrierOptions',
    'type MongoConnection',
    'class MongoTx',
    'class MysqlBarrier',
    'type MysqlBarrierParts',
    'class MysqlMarks',
    'type MysqlMarksOptions',
    'class MysqlSchemaBarrier',
    'class MysqlSessions',
    'type MysqlSessionsOptions',
    'type PlacedEffect',
    'class SqliteBarrier',
    'class SqliteFile',
    'class SqliteIntents',
    'type SqliteOptions',
    'type SqliteRow',
    'class SqliteTx',
    'type SqliteValue',
    'class StaleToken',
    'class Superseded',
    'type TaskMarks',
    'class UndoRefused',
    'function openMongo',
    'function openSqlite',
  ],
  './standalone': [
    'type Gateway',
    'type OwnModules',
    'type ProcessHandle',
    'type StandaloneOptions',
    'function startStandalone',
  ],
  './testing': [
    'type BarrierFixture',
    'type CompletionFailure',
    'type FlowTest',
    'type FlowTestOptions',
    'type Gateway',
    'type OwnModules',
    'type RunOptions',
    'type SecretResolverFixture',
    'type StartedTask',
    'type StepFault',
    'type TestedRequest',
    'type TestedResponse',
    'type TestedStep',
    'type TestedTask',
    'type TestedWait',
    'function attemptOf',
    'function barrierContract',
    'function commandContext',
    'function secretResolverContract',
    'function startFlowTest',
  ],
};

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

const index = new Map(readSourceTree().map((unit) => [unit.path, unit]));
const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const entries = Object.entries(exports).flatMap(([entry, target]) => {
  if (typeof target === 'string') return [];
  const source = target.types.replace('./dist/', '').replace(/\.d\.ts$/, '.ts');
  return [[entry, publicNames(index.get(source)!, index)] as const];
});

describe('the package', () => {
  it('has the entries that are listed here, and beside them what is no code', () => {
    const plain = Object.keys(exports).filter((entry) => typeof exports[entry] === 'string');
    expect(entries.map(([entry]) => entry)).toEqual(Object.keys(PUBLIC));
    expect(plain).toEqual(['./schemas/*', './package.json']);
  });

  it.each(entries)('exports from %s exactly what is listed', (entry, names) => {
    expect(names.map(({ kind, name }) => `${kind} ${name}`)).toEqual(PUBLIC[entry]);
  });

  it.each(entries)('documents every name of %s', (_entry, names) => {
    expect(names.filter(({ isDocumented }) => !isDocumented)).toEqual([]);
  });
});
