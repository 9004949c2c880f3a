import { ref } from '../docs/schema-parts.js';
import { CURSOR, pageLimit, wholePageLimit } from '../requests/page.query.js';
import { parameter, patternRule, RequestQuery, wholeRule } from '../requests/request-query.js';
import {
  type Body,
  body,
  json,
  JSON_TYPE,
  NOT_MODIFIED,
  READS,
  type Routes,
  TAKES_BODY,
  WRITES,
} from '../requests/route.js';
import { STATISTICS_QUERY } from '../statistics/statistics.query.js';
import { FLOW_NAME_PATTERN } from './flow-name.js';
import { planDraftReader, planFlowReader } from './plan-flow.request.js';
import { recordDrillReader } from './record-drill.request.js';

/** Problem codes of any change of a flow. */
const CHANGES_FLOW = ['FLOW_IN_FILE', 'REVISION_CHANGED', 'TOO_MANY_REQUESTS'] as const;

/** A flow file may be this many times as large as the body of a request. */
const FILE_FACTOR = 4;

const VERSION_MAX = 999_999_999;

/** The media type of flows with comments. */
export const JSONC_TYPE = 'application/jsonc';

/** The query of `GET /v1/flows`. */
const FLOWS_QUERY = new RequestQuery({
  limit: wholePageLimit('flows'),
  cursor: parameter(`${CURSOR}.`, patternRule(FLOW_NAME_PATTERN.source, CURSOR)),
});

/** The query of `GET /v1/flows/{name}/versions`. */
const VERSIONS_QUERY = new RequestQuery({
  limit: pageLimit('versions'),
  cursor: parameter(`${CURSOR}.`, wholeRule(1, VERSION_MAX, CURSOR)),
});

/** The query of `GET /v1/flows/{name}/versions/{version}:diff`. */
const DIFF_QUERY = new RequestQuery({
  to: parameter(
    'Number of the version to compare with. Default: the newest.',
    wholeRule(1, VERSION_MAX, 'the number of a version'),
  ),
});

/** The text of a flow or of a flow file. */
function textOf(schema: string): Body<unknown> {
  return {
    factor: FILE_FACTOR,
    isText: true,
    description: 'As `application/jsonc` it may have comments and trailing commas.',
    types: [JSON_TYPE, JSONC_TYPE],
    schema: ref(schema),
  };
}

/** The requests about flows. */
export const FLOW_ROUTES = {
  listFlows: {
    at: 'GET /v1/flows',
    need: { role: 'viewer' },
    summary: 'List flows, each at its newest version, and the mistakes in flow files',
    description:
      'Each flow says whether a task of it can start now, and why not. Mistakes in flow files ' +
      'stand beside the flows, with file, line and column.',
    parameters: ['knownAnswer'],
    query: FLOWS_QUERY,
    answers: {
      200: json('One page of flows, by name, and the mistakes in files', 'Flows', ['ETag']),
      304: NOT_MODIFIED,
    },
    problems: READS,
  },
  getFlow: {
    at: 'GET /v1/flows/{name}',
    need: { role: 'viewer' },
    summary: 'The newest version of a flow',
    description:
      'Shows the definition as it is stored, with defaults filled in and times in seconds. ' +
      'Its `ETag` is the version.',
    parameters: ['name', 'knownAnswer'],
    answers: { 200: json('The flow', 'Flow', ['ETag']), 304: NOT_MODIFIED },
    problems: [...READS, 'FLOW_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  putFlow: {
    at: 'PUT /v1/flows/{name}',
    need: { role: 'author' },
    summary:
      'Store a flow as the newest version of its name; the body is the flow without its name',
    description:
      'A flow with mistakes is refused, and each is named with its place. Equal definitions ' +
      'get no new version, and running tasks keep the version that they began with.',
    parameters: ['name', 'If-Match', 'onlyNew', 'X-Backstep-Reason'],
    body: textOf('FlowText'),
    answers: {
      200: json('A new version, or the newest one if nothing has changed', 'StoredFlow', ['ETag']),
      201: json('The first version', 'StoredFlow', ['ETag', 'Location']),
    },
    problems: [...WRITES, ...CHANGES_FLOW, 'INVALID_FLOW', 'FLOW_FILE_TOO_COSTLY'],
  },
  retireFlow: {
    at: 'DELETE /v1/flows/{name}',
    need: { role: 'author' },
    summary: 'Retire a flow: it takes no new task, and its versions stay readable',
    description:
      'Tasks that run go on by their version. Storing the flow once more brings it back.',
    parameters: ['name', 'If-Match', 'onlyNew', 'X-Backstep-Reason'],
    answers: { 204: { description: 'It is retired' } },
    problems: [...WRITES, ...CHANGES_FLOW, 'FLOW_NOT_FOUND'],
  },
  listVersions: {
    at: 'GET /v1/flows/{name}/versions',
    need: { role: 'viewer' },
    summary: 'The versions of a flow, newest first',
    description:
      'Each entry has the number, the hash and the time of a version. Read one by its number ' +
      'to see its definition.',
    parameters: ['name'],
    query: VERSIONS_QUERY,
    answers: { 200: json('One page', 'FlowVersions') },
    problems: [...READS, 'FLOW_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  diffVersions: {
    at: 'GET /v1/flows/{name}/versions/{version}:diff',
    need: { role: 'viewer' },
    summary: 'Compare two versions of a flow',
    description:
      'Steps are compared by their names, and members by their pointers. Without `to` the ' +
      'newest version is the other side.',
    parameters: ['name', 'version'],
    query: DIFF_QUERY,
    answers: { 200: json('The differences', 'FlowDiff') },
    problems: [...READS, 'FLOW_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  getFlowVersion: {
    at: 'GET /v1/flows/{name}/versions/{version}',
    need: { role: 'viewer' },
    summary: 'A version of a flow; every version is kept for ever',
    description:
      'A task names its version, so its flow can be read for ever. The answer has the same ' +
      'form as that of the newest version.',
    parameters: ['name', 'version', 'knownAnswer'],
    answers: { 200: json('The flow', 'Flow', ['ETag']), 304: NOT_MODIFIED },
    problems: [...READS, 'FLOW_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  getFlowSource: {
    at: 'GET /v1/flows/{name}/versions/{version}/source',
    need: { role: 'viewer' },
    summary: 'A version of a flow as its author wrote it, with comments',
    description:
      'The text is the one that was stored last for this version: a change of comments or ' +
      'spacing makes no new version. A flow of a file has the part of the file after its name.',
    parameters: ['name', 'version', 'knownAnswer'],
    answers: {
      200: {
        description: 'The text; `PUT /v1/flows/{name}` takes it as it is',
        content: { [JSONC_TYPE]: { type: 'string' } },
        headers: ['ETag'],
      },
      304: NOT_MODIFIED,
    },
    problems: [...READS, 'FLOW_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  recordDrill: {
    at: 'PUT /v1/flows/{name}/versions/{version}/drill',
    need: { role: 'author' },
    summary: 'Store the result of a drill of a version; it replaces the last one',
    description:
      'A drill plays the flow with a fault at each step. `backstep flow drill --record` sends ' +
      'its result here, and the flow shows it.',
    parameters: ['name', 'version'],
    body: body('RecordDrill', recordDrillReader, { isLate: true }),
    answers: { 200: json('The drill', 'Drill') },
    problems: [...WRITES, 'INVALID_PARAMETERS', 'FLOW_NOT_FOUND', 'RECORD_UNREADABLE'],
  },
  getFlowStatistics: {
    at: 'GET /v1/flows/{name}/statistics',
    need: { role: 'viewer' },
    summary: 'How tasks and steps of a flow ended in the last hours or days',
    description:
      'Counts are kept for each hour and each day, so no task is read for them. A process that ' +
      'dies may leave out its last seconds.',
    parameters: ['name'],
    query: STATISTICS_QUERY,
    answers: { 200: json('The statistics of all versions together', 'FlowStatistics') },
    problems: [...READS, 'FLOW_NOT_FOUND', 'RECORD_UNREADABLE', 'TOO_MANY_REQUESTS'],
  },
  planFlow: {
    at: 'POST /v1/flows/{name}:plan',
    need: { role: 'viewer' },
    summary: 'Plan a task: its steps in order, and the rollback at each point; creates no task',
    description:
      'The steps are planned with the given parameters, as far as they are known before the ' +
      'run. Values that only a run can give are assumed, and listed as assumptions.',
    parameters: ['name'],
    body: body('PlanFlow', planFlowReader),
    answers: { 200: json('The plan', 'FlowPlan') },
    problems: [
      ...WRITES,
      'FLOW_NOT_FOUND',
      'RECORD_UNREADABLE',
      'INVALID_PARAMETERS',
      'TOO_MANY_REQUESTS',
    ],
  },
  planDraft: {
    at: 'POST /v1/flows:plan',
    need: { role: 'author' },
    summary: 'Plan a task of a flow that is not stored; stores nothing',
    description:
      'The flow is checked like one that is stored, then planned. Use it in editors and in ' +
      'reviews of a change.',
    body: body('PlanDraft', planDraftReader, { factor: FILE_FACTOR }),
    answers: { 200: json('The plan', 'FlowPlan') },
    problems: [
      ...WRITES,
      'INVALID_FLOW',
      'FLOW_FILE_TOO_COSTLY',
      'INVALID_PARAMETERS',
      'TOO_MANY_REQUESTS',
    ],
  },
  validateFlow: {
    at: 'POST /v1/flows:validate',
    need: { role: 'viewer' },
    summary: 'Check a flow file; the body is the file, comments included',
    description:
      'The answer is 200 for every text that can be read, with `valid` and a list of ' +
      'mistakes. Each has a code, a place and a hint.',
    body: { ...textOf('FlowFileText'), required: false },
    answers: { 200: json('The mistakes in it', 'Validation') },
    problems: [...TAKES_BODY, 'FLOW_FILE_TOO_COSTLY', 'TOO_MANY_REQUESTS'],
  },
} as const satisfies Routes;
