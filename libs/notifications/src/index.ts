export { Courier, type CourierParts, type MessageSender, NotSent } from './courier.js';
export { type Fact, isOfTasks, KINDS, type Subject, subjectOf, TASK_KINDS } from './facts.js';
export { changeDelivery, FactLedger, type JudgedSubject, tellsEnds } from './ledger.js';
export { messageLine, pagerdutyBody, slackBody, webhookBody } from './messages.js';
