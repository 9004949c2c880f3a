export { Courier, type MessageSender, NotSent } from './courier.js';
export { type Fact, isOfTasks, subjectOf } from './facts.js';
export { changeDelivery, FactLedger, type JudgedSubject } from './ledger.js';
export { messageLine, messageText, pagerdutyBody, slackBody, webhookBody } from './messages.js';
