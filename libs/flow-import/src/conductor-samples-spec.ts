/** Workflows in the shapes that Conductor's definitions have, written for these specs. */
export const WORKFLOWS = {
  chain: {
    name: 'create_order',
    version: 2,
    description: 'Reserves, then pays.',
    inputParameters: ['seat', 'price'],
    failureWorkflow: 'report_order',
    timeoutSeconds: 600,
    tasks: [
      {
        name: 'reserve_seat',
        taskReferenceName: 'reserve',
        type: 'SIMPLE',
        inputParameters: { seat: '${workflow.input.seat}' },
        retryCount: 0,
      },
      {
        name: 'pay',
        taskReferenceName: 'pay_ref',
        type: 'SIMPLE',
        inputParameters: {
          amount: '${workflow.input.price}',
          text: 'Seat ${reserve.output.number} of ${workflow.input.seat}',
        },
        taskDefinition: {
          retryCount: 3,
          retryLogic: 'EXPONENTIAL_BACKOFF',
          retryDelaySeconds: 5,
          timeoutSeconds: 60,
        },
      },
    ],
    outputParameters: { receipt: '${pay_ref.output.receipt}' },
  },
  http: {
    name: 'look_up',
    tasks: [
      {
        name: 'get',
        taskReferenceName: 'get',
        type: 'HTTP',
        inputParameters: {
          http_request: {
            uri: 'https://api.example/hosts/${workflow.input.host}',
            method: 'GET',
            accept: 'application/json',
          },
        },
      },
    ],
    outputParameters: {
      name: '${get.output.response.body.name}',
      code: '${get.output.response.statusCode}',
    },
  },
  switch: {
    name: 'route',
    inputParameters: ['kind'],
    tasks: [
      {
        name: 'by_kind',
        taskReferenceName: 'by_kind',
        type: 'SWITCH',
        evaluatorType: 'value-param',
        expression: 'kind',
        inputParameters: { kind: '${workflow.input.kind}' },
        decisionCases: {
          LONG: [{ name: 'long', taskReferenceName: 'long', type: 'SIMPLE', retryCount: 0 }],
          'very long': [],
        },
        defaultCase: [
          {
            name: 'stop',
            taskReferenceName: 'stop',
            type: 'TERMINATE',
            inputParameters: { terminationStatus: 'FAILED', terminationReason: 'No such kind.' },
          },
        ],
      },
    ],
    outputParameters: { distance: '${long.output.distance}' },
  },
  decisionByScript: {
    name: 'by_size',
    tasks: [
      {
        name: 'd',
        taskReferenceName: 'd',
        type: 'DECISION',
        inputParameters: { size: '${workflow.input.size}' },
        caseExpression: "if ($.size > 10) { 'large'; } else { 'small'; }",
        decisionCases: {
          large: [{ name: 'big', taskReferenceName: 'big', type: 'SIMPLE', retryCount: 1 }],
        },
      },
    ],
  },
  fork: {
    name: 'two_sides',
    tasks: [
      {
        name: 'fork',
        taskReferenceName: 'fork',
        type: 'FORK_JOIN',
        forkTasks: [
          [{ name: 'left', taskReferenceName: 'left', type: 'SIMPLE', retryCount: 0 }],
          [{ name: 'right', taskReferenceName: 'right', type: 'SIMPLE', retryCount: 0 }],
        ],
      },
      { name: 'join', taskReferenceName: 'join', type: 'JOIN', joinOn: ['left', 'right'] },
    ],
    outputParameters: { left: '${left.output.x}', right: '${join.output.right.y}' },
  },
  dynamicFork: {
    name: 'many',
    tasks: [
      { name: 'plan', taskReferenceName: 'plan', type: 'SIMPLE', retryCount: 0 },
      {
        name: 'all',
        taskReferenceName: 'all',
        type: 'FORK_JOIN_DYNAMIC',
        inputParameters: {
          tasks: '${plan.output.tasks}',
          inputs: '${plan.output.inputs}',
        },
        dynamicForkTasksParam: 'tasks',
        dynamicForkTasksInputParamName: 'inputs',
      },
      { name: 'join', taskReferenceName: 'join', type: 'JOIN', joinOn: [] },
      {
        name: 'each',
        taskReferenceName: 'each',
        type: 'FORK_JOIN_DYNAMIC',
        inputParameters: { forkTaskName: 'resize', forkTaskInputs: '${workflow.input.images}' },
      },
      { name: 'join2', taskReferenceName: 'join2', type: 'JOIN' },
    ],
  },
  loop: {
    name: 'until_ready',
    tasks: [
      {
        name: 'poll',
        taskReferenceName: 'poll',
        type: 'DO_WHILE',
        inputParameters: { most: '${workflow.input.most}' },
        loopCondition:
          "if ( ($.poll['iteration'] < $.most) && ($.look['ready'] != true) ) { true; } else { false; }",
        loopOver: [
          { name: 'look', taskReferenceName: 'look', type: 'SIMPLE', retryCount: 0 },
          {
            name: 'nap',
            taskReferenceName: 'nap',
            type: 'WAIT',
            inputParameters: { duration: '1 minutes 30 seconds' },
          },
        ],
      },
    ],
    outputParameters: { rounds: '${poll.output.iteration}' },
  },
  people: {
    name: 'with_people',
    tasks: [
      { name: 'sure', taskReferenceName: 'sure', type: 'HUMAN' },
      { name: 'paid', taskReferenceName: 'paid', type: 'WAIT' },
      {
        name: 'until',
        taskReferenceName: 'until',
        type: 'WAIT',
        inputParameters: { until: '2027-01-01 06:00 GMT' },
      },
      {
        name: 'vars',
        taskReferenceName: 'vars',
        type: 'SET_VARIABLE',
        inputParameters: { by: '${sure.output.by}' },
      },
      {
        name: 'child',
        taskReferenceName: 'child',
        type: 'SUB_WORKFLOW',
        subWorkflowParam: { name: 'refund', version: 1 },
        inputParameters: { by: '${workflow.variables.by}' },
        optional: true,
      },
    ],
    outputParameters: { refunded: '${child.output.sum}' },
  },
  scripts: {
    name: 'scripts',
    tasks: [
      {
        name: 'jq',
        taskReferenceName: 'jq',
        type: 'JSON_JQ_TRANSFORM',
        inputParameters: { queryExpression: '.a | length', a: '${workflow.input.a}' },
      },
      {
        name: 's',
        taskReferenceName: 's',
        type: 'SWITCH',
        evaluatorType: 'javascript',
        expression: '(function(){ return $.a.map(x => x); })()',
        decisionCases: {
          a: [{ name: 'x', taskReferenceName: 'x', type: 'EVENT', sink: 'conductor' }],
        },
      },
    ],
  },
  twice: {
    name: 'twice',
    tasks: [
      { name: 'a', taskReferenceName: 'same', type: 'SIMPLE' },
      { name: 'b', taskReferenceName: 'same', type: 'SIMPLE' },
    ],
  },
} as const;
