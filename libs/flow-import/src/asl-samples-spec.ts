/** State machines in the shapes that are published for Step Functions, written for these specs. */
export const STATE_MACHINES = {
  chain: {
    Comment: 'Reserves, then pays.',
    StartAt: 'Reserve',
    TimeoutSeconds: 3600,
    States: {
      Reserve: {
        Type: 'Task',
        Resource: 'arn:aws:lambda:eu-west-1:111122223333:function:reserve_seat',
        TimeoutSeconds: 20,
        ResultPath: '$.seat',
        Next: 'Pay',
      },
      Pay: {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke',
        Parameters: {
          FunctionName: 'pay',
          Payload: { 'amount.$': '$.price', 'seat.$': '$.seat.number', currency: 'EUR' },
        },
        ResultSelector: { 'receipt.$': '$.Payload.id' },
        End: true,
      },
    },
  },
  choice: {
    StartAt: 'Large?',
    States: {
      'Large?': {
        Type: 'Choice',
        Choices: [
          {
            And: [
              { Variable: '$.amount', NumericGreaterThan: 1000 },
              { Not: { Variable: '$.vip', BooleanEquals: true } },
            ],
            Next: 'Review',
          },
          { Variable: '$.country', StringMatches: 'X*', Next: 'Refuse' },
        ],
        Default: 'Book',
      },
      Review: { Type: 'Task', Resource: 'arn:aws:states:::sns:publish', Next: 'Book' },
      Book: { Type: 'Task', Resource: 'arn:aws:lambda:e:1:function:book', End: true },
      Refuse: { Type: 'Fail', Error: 'Order.Refused', Cause: 'This country is not served.' },
    },
  },
  retryAndCatch: {
    StartAt: 'Charge',
    States: {
      Charge: {
        Type: 'Task',
        Resource: 'arn:aws:lambda:e:1:function:charge',
        TimeoutSeconds: 10,
        Retry: [
          { ErrorEquals: ['CardDeclined'], MaxAttempts: 0 },
          { ErrorEquals: ['States.Timeout'], IntervalSeconds: 2, MaxAttempts: 4, BackoffRate: 2 },
        ],
        Catch: [
          { ErrorEquals: ['CardDeclined'], ResultPath: '$.error', Next: 'Ask' },
          { ErrorEquals: ['States.ALL'], Next: 'Broken' },
        ],
        Next: 'Ship',
      },
      Ask: {
        Type: 'Task',
        Resource: 'arn:aws:lambda:e:1:function:ask_customer',
        Parameters: { 'reason.$': '$.error.Cause' },
        Next: 'Ship',
      },
      Ship: {
        Type: 'Task',
        Resource: 'arn:aws:lambda:e:1:function:ship',
        Parameters: { 'token.$': '$.token' },
        End: true,
      },
      Broken: { Type: 'Fail', Error: 'Broken', Cause: 'Nothing helped.' },
    },
  },
  parallel: {
    StartAt: 'Both',
    States: {
      Both: {
        Type: 'Parallel',
        Retry: [{ ErrorEquals: ['States.ALL'], MaxAttempts: 2 }],
        Branches: [
          {
            StartAt: 'Left',
            States: {
              Left: { Type: 'Task', Resource: 'arn:aws:lambda:e:1:function:left', End: true },
            },
          },
          {
            StartAt: 'Right',
            States: {
              Right: { Type: 'Task', Resource: 'arn:aws:lambda:e:1:function:right', End: true },
            },
          },
        ],
        Next: 'Sum',
      },
      Sum: {
        Type: 'Pass',
        Parameters: { 'a.$': '$[0].value', 'b.$': '$[1].value' },
        End: true,
      },
    },
  },
  map: {
    StartAt: 'Each',
    States: {
      Each: {
        Type: 'Map',
        ItemsPath: '$.hosts',
        MaxConcurrency: 5,
        ToleratedFailurePercentage: 10,
        ItemSelector: { 'host.$': '$$.Map.Item.Value', 'version.$': '$.version' },
        ItemProcessor: {
          ProcessorConfig: { Mode: 'INLINE' },
          StartAt: 'Upgrade',
          States: {
            Upgrade: { Type: 'Task', Resource: 'arn:aws:lambda:e:1:function:upgrade', End: true },
          },
        },
        ResultPath: '$.upgraded',
        End: true,
      },
    },
  },
  waits: {
    StartAt: 'Cool down',
    States: {
      'Cool down': { Type: 'Wait', Seconds: 30, Next: 'Until' },
      Until: { Type: 'Wait', TimestampPath: '$.startAt', Next: 'Callback' },
      Callback: {
        Type: 'Task',
        Resource: 'arn:aws:states:::sqs:sendMessage.waitForTaskToken',
        Parameters: { QueueUrl: 'q', MessageBody: { 'token.$': '$$.Task.Token' } },
        HeartbeatSeconds: 60,
        Next: 'Done',
      },
      Done: { Type: 'Succeed' },
    },
  },
  jsonata: {
    QueryLanguage: 'JSONata',
    StartAt: 'Price',
    States: {
      Price: {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke',
        Arguments: { FunctionName: 'price', Payload: { id: '{% $states.input.id %}' } },
        Assign: { total: '{% $states.result.Payload.sum * 2 %}' },
        Output: '{% $states.result.Payload %}',
        Next: 'Cheap?',
      },
      'Cheap?': {
        Type: 'Choice',
        Choices: [{ Condition: '{% $total < 10 %}', Next: 'Done' }],
        Default: 'Ask',
      },
      Ask: {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke',
        Arguments: { FunctionName: 'ask', Payload: { total: '{% $total %}' } },
        End: true,
      },
      Done: { Type: 'Succeed', Output: { total: '{% $total %}' } },
    },
  },
  childAndHttp: {
    StartAt: 'Look',
    States: {
      Look: {
        Type: 'Task',
        Resource: 'arn:aws:states:::http:invoke',
        Parameters: {
          'ApiEndpoint.$': "States.Format('https://api.example/{}', $.id)",
          Method: 'GET',
        },
        ResultPath: '$.found',
        Next: 'Child',
      },
      Child: {
        Type: 'Task',
        Resource: 'arn:aws:states:::states:startExecution.sync:2',
        Parameters: {
          StateMachineArn: 'arn:aws:states:e:1:stateMachine:refund',
          Input: { 'status.$': '$.found.StatusCode' },
        },
        End: true,
      },
    },
  },
  poll: {
    StartAt: 'Submit',
    States: {
      Submit: { Type: 'Task', Resource: 'arn:aws:lambda:e:1:function:submit', Next: 'Wait' },
      Wait: { Type: 'Wait', Seconds: 5, Next: 'Status' },
      Status: { Type: 'Task', Resource: 'arn:aws:lambda:e:1:function:status', Next: 'Ready?' },
      'Ready?': {
        Type: 'Choice',
        Choices: [{ Variable: '$.state', StringEquals: 'DONE', Next: 'Done' }],
        Default: 'Wait',
      },
      Done: { Type: 'Succeed' },
    },
  },
  sharedHandler: {
    StartAt: 'First',
    States: {
      First: {
        Type: 'Task',
        Resource: 'arn:aws:lambda:e:1:function:first',
        Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Notify' }],
        Next: 'Second',
      },
      Second: {
        Type: 'Task',
        Resource: 'arn:aws:lambda:e:1:function:second',
        Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Notify' }],
        End: true,
      },
      Notify: { Type: 'Task', Resource: 'arn:aws:states:::sns:publish', Next: 'Failed' },
      Failed: { Type: 'Fail', Error: 'Failed', Cause: 'See the message.' },
    },
  },
} as const;
