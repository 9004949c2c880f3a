import { assertNever } from '#core';
import type { Answer, Failure } from '../answer.js';
import type { ReadRequest, Request, WriteRequest } from '../protocol.js';
import { AuditStatements } from './audit-statements.js';
import { ChangeStatements } from './change-statements.js';
import { ChildStatements } from './child-statements.js';
import type { Database } from './database.js';
import { DefinitionStatements } from './definition-statements.js';
import { DeliveryStatements } from './delivery-statements.js';
import { DrillStatements } from './drill-statements.js';
import { FinalStatements } from './final-statements.js';
import { FlowStatements } from './flow-statements.js';
import { KeyStatements } from './key-statements.js';
import { LockStatements } from './lock-statements.js';
import { NotificationStatements } from './notification-statements.js';
import { OperationStatements } from './operation-statements.js';
import { ScheduleStatements } from './schedule-statements.js';
import { StatisticsStatements } from './statistics-statements.js';
import { TaskReads } from './task-reads.js';
import { TaskWrites } from './task-writes.js';

/** Carries out single requests; transactions are the caller's business. */
export class Answers {
  readonly #audit: AuditStatements;
  readonly #definitions: DefinitionStatements;
  readonly #changes: ChangeStatements;
  readonly #children: ChildStatements;
  readonly #deliveries: DeliveryStatements;
  readonly #drills: DrillStatements;
  readonly #finals: FinalStatements;
  readonly #flows: FlowStatements;
  readonly #keys: KeyStatements;
  readonly #locks: LockStatements;
  readonly #notifications: NotificationStatements;
  readonly #operations: OperationStatements;
  readonly #reads: TaskReads;
  readonly #schedules: ScheduleStatements;
  readonly #statistics: StatisticsStatements;
  readonly #writes: TaskWrites;

  constructor(db: Database) {
    this.#audit = new AuditStatements(db);
    this.#children = new ChildStatements(db);
    this.#deliveries = new DeliveryStatements(db);
    this.#drills = new DrillStatements(db);
    this.#notifications = new NotificationStatements(db);
    this.#finals = new FinalStatements(db);
    this.#flows = new FlowStatements(db);
    this.#definitions = new DefinitionStatements(db, this.#flows);
    this.#keys = new KeyStatements(db);
    this.#locks = new LockStatements(db);
    this.#operations = new OperationStatements(db);
    this.#reads = new TaskReads(db);
    this.#schedules = new ScheduleStatements(db);
    this.#statistics = new StatisticsStatements(db);
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
      case 'changeCommand':
        return this.#definitions.changeCommand(request[1], request[2], request[3]);
      case 'putDrill':
        return this.#drills.put(request[1]);
      case 'putStatistics':
        return this.#statistics.put(request[1]);
      case 'removeStatistics':
        return this.#statistics.remove(request[1]);
      case 'changeKeys':
        return this.#keys.change(request[1]);
      case 'keepSecret':
        return this.#keys.keepSecret(request[1], request[2]);
      case 'enterLine':
        return this.#locks.enter(request[1], request[2]);
      case 'leaveLine':
        return this.#locks.leave(request[1], request[2], request[3]);
      case 'changeOperations':
        return this.#operations.change(request[1]);
      case 'changeNotification':
        return this.#notifications.change(request[1]);
      case 'changeDelivery':
        return this.#deliveries.change(request[1]);
      case 'removeTasks':
        return this.#finals.remove(request[1]);
      case 'appendAudit':
        return this.#audit.append(request[1], request[2]);
      case 'removeAudit':
        return this.#audit.remove(request[1]);
      case 'changeSchedule':
        return this.#schedules.change(request[1], request[2], request[3]);
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
      case 'countByStatus':
        return this.#reads.countByStatus(request[1]);
      case 'countStarted':
        return this.#reads.countStarted(request[1], request[2], request[3]);
      case 'countChildren':
        return this.#children.count(request);
      case 'findChildren':
        return this.#children.find(request[1]);
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
      case 'readDrills':
        return this.#drills.read(request[1]);
      case 'listCommands':
        return this.#definitions.listCommands();
      case 'ping':
        return 1;
      default:
        return this.#readRecords(request);
    }
  }

  #readRecords(request: RecordsRequest): Answer {
    switch (request[0]) {
      case 'readNotifications':
        return this.#notifications.answer(request[1]);
      case 'readDeliveries':
        return this.#deliveries.answer(request[1]);
      case 'readChanges':
        return this.#changes.answer(request[1], this.#writes.newestChange);
      case 'readSchedules':
        return this.#schedules.answer(request[1]);
      case 'findStatistics':
        return this.#statistics.find(request[1]);
      case 'getKey':
        return this.#keys.get(request[1]);
      case 'listKeys':
        return this.#keys.list();
      case 'readOperations':
        return this.#operations.read(request[1]);
      case 'readAudit':
        return this.#audit.read(request[1], request[2], request[3]);
      default:
        return assertNever(request);
    }
  }
}

/** A read of what is neither a task nor a flow, or of what has changed. */
type RecordsRequest = Extract<
  ReadRequest,
  {
    readonly 0:
      | 'findStatistics'
      | 'getKey'
      | 'listKeys'
      | 'readAudit'
      | 'readChanges'
      | 'readDeliveries'
      | 'readNotifications'
      | 'readOperations'
      | 'readSchedules';
  }
>;

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
  'changeCommand',
  'putDrill',
  'putStatistics',
  'removeStatistics',
  'changeKeys',
  'keepSecret',
  'appendAudit',
  'removeAudit',
  'removeTasks',
  'changeNotification',
  'changeDelivery',
  'enterLine',
  'leaveLine',
  'changeOperations',
  'changeSchedule',
]);

/** The answer of a request that failed. */
export function failureOf(failure: Failure['failure'], error: unknown): Failure {
  return { failure, message: error instanceof Error ? error.message : String(error) };
}
