import { assertNever } from '#core/task';
import type { Answer, Failure, ReadRequest, Request, WriteRequest } from '../protocol.js';
import { AuditStatements } from './audit-statements.js';
import { ChangeStatements, ChildStatements, FinalStatements } from './list-statements.js';
import type { Database } from './database.js';
import { DefinitionStatements, FlowStatements } from './flow-statements.js';
import { LockStatements } from './lock-statements.js';
import { RecordStatements } from './record-statements.js';
import { TaskReads } from './task-reads.js';
import { TaskWrites } from './task-writes.js';

/** Carries out single requests; transactions are the caller's business. */
export class Answers {
  readonly #audit: AuditStatements;
  readonly #definitions: DefinitionStatements;
  readonly #changes: ChangeStatements;
  readonly #children: ChildStatements;
  readonly #finals: FinalStatements;
  readonly #flows: FlowStatements;
  readonly #locks: LockStatements;
  readonly #reads: TaskReads;
  readonly #records: RecordStatements;
  readonly #writes: TaskWrites;

  constructor(db: Database) {
    this.#audit = new AuditStatements(db);
    this.#children = new ChildStatements(db);
    this.#finals = new FinalStatements(db);
    this.#flows = new FlowStatements(db);
    this.#definitions = new DefinitionStatements(db, this.#flows);
    this.#locks = new LockStatements(db);
    this.#reads = new TaskReads(db);
    this.#records = new RecordStatements(db);
    this.#writes = new TaskWrites(db, this.#reads);
    this.#changes = new ChangeStatements(db, this.#reads);
  }

  /** Carries out a write. */
  write(request: WriteRequest): Answer {
    switch (request[0]) {
      case 'insert':
        return this.#writes.insert(request);
      case 'commit':
        return this.#writes.commit(request);
      case 'saveFlow': {
        const [, name, hash, definition, now, broken] = request;
        return this.#flows.save({ name, hash, definition, now }, broken);
      }
      case 'putFlow':
        return this.#definitions.put(request[1]);
      case 'retireFlow':
        return this.#definitions.retire(request[1], request[2]);
      case 'enterLine':
        return this.#locks.enter(request[1], request[2]);
      case 'leaveLine':
        return this.#locks.leave(request[1], request[2], request[3]);
      case 'removeTasks':
        return this.#finals.remove(request[1]);
      case 'appendAudit':
        return this.#audit.append(request[1], request[2]);
      case 'removeAudit':
        return this.#audit.remove(request[1]);
      default:
        return this.#writeRecord(request);
    }
  }

  #writeRecord(request: RecordWrite): Answer {
    switch (request[0]) {
      case 'putRecord':
        return this.#records.put(request[1]);
      case 'removeRecord':
        return this.#records.remove(request[1], request[2], request[3]);
      case 'removeRecords':
        return this.#records.removeAll(request[1]);
      default:
        return assertNever(request);
    }
  }

  /** Carries out a read. */
  read(request: ReadRequest): Answer {
    switch (request[0]) {
      case 'get':
        return this.#reads.get(request[1]);
      case 'getSteps':
        return this.#reads.getSteps(request[1]);
      case 'findByKey':
        return this.#reads.findByKey(request[1]);
      case 'findDue':
        return this.#reads.findDue(request[1], request[2], request[3]);
      case 'list':
        return this.#reads.listText(request[1], request[2]);
      case 'listRows':
        return this.#reads.list(request[1], request[2]);
      case 'walk':
        return this.#reads.walk(request[1], request[2]);
      case 'readRows':
        return this.#reads.readRows(request[1], request[2]);
      case 'passOver':
        return this.#reads.passOver(request[1]);
      case 'findPresent':
        return this.#finals.findPresent(request[1]);
      case 'readLines':
        return this.#locks.answer(request[1]);
      case 'getFlow':
        return this.#flows.get(request[1], request[2]);
      case 'listFlows':
        return this.#flows.list();
      case 'listHeads':
        return this.#definitions.listHeads();
      case 'listVersions':
        return this.#definitions.listVersions(request[1], request[2], request[3]);
      case 'getRecord':
        return this.#records.get(request[1], request[2]);
      case 'listRecords':
        return this.#records.list(request[1]);
      case 'readChanges':
        return this.#changes.answer(request[1], this.#writes.newestChange);
      case 'readAudit':
        return this.#audit.read(request[1], request[2], request[3]);
      case 'ping':
        return 1;
      default:
        return this.#count(request);
    }
  }

  #count(request: CountRequest): Answer {
    switch (request[0]) {
      case 'countByStatus':
        return this.#reads.countByStatus(request[1]);
      case 'countStarted':
        return this.#reads.countStarted(request[1], request[2], request[3]);
      case 'countChildren':
        return this.#children.count(request);
      case 'findChildren':
        return this.#children.find(request[1]);
      default:
        return assertNever(request);
    }
  }
}

type CountRequest = Extract<
  ReadRequest,
  { readonly 0: 'countByStatus' | 'countStarted' | 'countChildren' | 'findChildren' }
>;

type RecordWrite = Extract<WriteRequest, { readonly 0: `${'put' | 'remove'}Record${'' | 's'}` }>;

/** Whether a request changes the file. */
export function isWrite(request: Request): request is WriteRequest {
  return WRITES.has(request[0]);
}

const WRITES: ReadonlySet<string> = new Set<WriteRequest[0]>([
  'commit',
  'insert',
  'saveFlow',
  'putFlow',
  'retireFlow',
  'putRecord',
  'removeRecord',
  'removeRecords',
  'appendAudit',
  'removeAudit',
  'removeTasks',
  'enterLine',
  'leaveLine',
]);

/** The answer of a request that failed. */
export function failureOf(failure: Failure['failure'], error: unknown): Failure {
  return { failure, message: error instanceof Error ? error.message : String(error) };
}
