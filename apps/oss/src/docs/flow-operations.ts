import { DIFF_QUERY, VERSIONS_QUERY } from '../flows/definition.query.js';
import { STATISTICS_QUERY } from '../statistics/statistics.query.js';
import { type Body, body, json, type Operation, READS, TAKES_BODY, WRITES } from './operation.js';

/** Problem codes of any change of a flow. */
const CHANGES_FLOW = ['FLOW_IN_FILE', 'REVISION_CHANGED', 'TOO_MANY_REQUESTS'] as const;

/** The text of a flow or a flow file. Few tools know JSONC, so the description names its type. */
const flowText: Body = {
  description: 'Send it as `application/jsonc` if it has comments or trailing commas.',
  schema: {},
};

/** The requests about flows. */
export const FLOW_OPERATIONS: readonly Operation[] = [
  {
    route: 'GET /v1/flows',
    id: 'listFlows',
    summary: 'List flows, each at its newest version, and the mistakes in flow files',
    tag: 'flows',
    answers: { 200: json('All flows, by name, and the mistakes in files', 'Flows') },
    problems: READS,
  },
  {
    route: 'GET /v1/flows/{name}',
    id: 'getFlow',
    summary: 'The newest version of a flow',
    tag: 'flows',
    parameters: ['name'],
    answers: { 200: json('The flow', 'Flow', ['ETag']) },
    problems: [...READS, 'FLOW_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  {
    route: 'PUT /v1/flows/{name}',
    id: 'putFlow',
    summary:
      'Store a flow as the newest version of its name; the body is the flow without its name',
    tag: 'flows',
    parameters: ['name', 'If-Match', 'onlyNew', 'X-Backstep-Reason'],
    body: flowText,
    answers: {
      200: json('A new version, or the newest one if nothing has changed', 'StoredFlow', ['ETag']),
      201: json('The first version', 'StoredFlow', ['ETag', 'Location']),
    },
    problems: [...WRITES, ...CHANGES_FLOW, 'INVALID_FLOW', 'FLOW_FILE_TOO_COSTLY'],
  },
  {
    route: 'DELETE /v1/flows/{name}',
    id: 'retireFlow',
    summary: 'Retire a flow: it takes no new task, and its versions stay readable',
    tag: 'flows',
    parameters: ['name', 'If-Match', 'onlyNew', 'X-Backstep-Reason'],
    answers: { 204: { description: 'It is retired' } },
    problems: [...WRITES, ...CHANGES_FLOW, 'FLOW_NOT_FOUND'],
  },
  {
    route: 'GET /v1/flows/{name}/versions',
    id: 'listVersions',
    summary: 'The versions of a flow, newest first',
    tag: 'flows',
    parameters: ['name'],
    query: VERSIONS_QUERY,
    answers: { 200: json('One page', 'FlowVersions') },
    problems: [...READS, 'FLOW_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  {
    route: 'GET /v1/flows/{name}/versions/{version}:diff',
    id: 'diffVersions',
    summary: 'Compare two versions of a flow',
    tag: 'flows',
    parameters: ['name', 'version'],
    query: DIFF_QUERY,
    answers: { 200: json('The differences', 'FlowDiff') },
    problems: [...READS, 'FLOW_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  {
    route: 'GET /v1/flows/{name}/versions/{version}',
    id: 'getFlowVersion',
    summary: 'A version of a flow; every version is kept for ever',
    tag: 'flows',
    parameters: ['name', 'version'],
    answers: { 200: json('The flow', 'Flow') },
    problems: [...READS, 'FLOW_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  {
    route: 'PUT /v1/flows/{name}/versions/{version}/drill',
    id: 'recordDrill',
    summary: 'Store the result of a drill of a version; it replaces the last one',
    tag: 'flows',
    parameters: ['name', 'version'],
    body: body('RecordDrill'),
    answers: { 200: json('The drill', 'Drill') },
    problems: [...WRITES, 'INVALID_PARAMETERS', 'FLOW_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  {
    route: 'GET /v1/flows/{name}/statistics',
    id: 'getFlowStatistics',
    summary: 'How tasks and steps of a flow ended in the last hours or days',
    tag: 'flows',
    parameters: ['name'],
    query: STATISTICS_QUERY,
    answers: { 200: json('The statistics of all versions together', 'FlowStatistics') },
    problems: [...READS, 'FLOW_NOT_FOUND', 'RECORD_UNREADABLE', 'TOO_MANY_REQUESTS'],
  },
  {
    route: 'POST /v1/flows/{name}:plan',
    id: 'planFlow',
    summary: 'Plan a task: its steps in order, and the rollback at each point; creates no task',
    tag: 'flows',
    parameters: ['name'],
    body: body('PlanFlow'),
    answers: { 200: json('The plan', 'FlowPlan') },
    problems: [
      ...WRITES,
      'FLOW_NOT_FOUND',
      'RECORD_UNREADABLE',
      'INVALID_PARAMETERS',
      'TOO_MANY_REQUESTS',
    ],
  },
  {
    route: 'POST /v1/flows:plan',
    id: 'planDraft',
    summary: 'Plan a task of a flow that is not stored; stores nothing',
    tag: 'flows',
    body: body('PlanDraft'),
    answers: { 200: json('The plan', 'FlowPlan') },
    problems: [
      ...WRITES,
      'INVALID_FLOW',
      'FLOW_FILE_TOO_COSTLY',
      'INVALID_PARAMETERS',
      'TOO_MANY_REQUESTS',
    ],
  },
  {
    route: 'POST /v1/flows:validate',
    id: 'validateFlow',
    summary: 'Check a flow file; the body is the file, comments included',
    tag: 'flows',
    body: { ...flowText, required: false },
    answers: { 200: json('The mistakes in it', 'Validation') },
    problems: [...TAKES_BODY, 'FLOW_FILE_TOO_COSTLY', 'TOO_MANY_REQUESTS'],
  },
];
