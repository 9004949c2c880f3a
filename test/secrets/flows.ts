/** A command of the module that takes and gives secrets. */
function vault(command: string, parameters: object = {}) {
  return { module: 'vault', command, parameters };
}

const SECRET = { type: 'string', minLength: 12, secret: true };

const USERS = {
  type: 'array',
  items: { type: 'object', properties: { name: { type: 'string' }, pass: { $ref: '#/$defs/pw' } } },
};

const INPUT = {
  type: 'object',
  required: ['password'],
  properties: {
    password: SECRET,
    users: USERS,
    account: { type: 'object', secret: true },
    isBad: { type: 'boolean' },
  },
  $defs: { pw: SECRET },
};

/** Flows through which a secret goes wherever one can. */
export const SECRET_FLOWS = {
  'secret-all': {
    description: 'Hands secrets on, to steps, expressions, a child task and the way back.',
    input: INPUT,
    constants: { isBad: false, users: [{ pass: 'none' }], account: null },
    failureFlow: 'secret-report',
    output: { handed: '{% password %}' },
    steps: [
      { name: 'login', normal: vault('login'), rollback: vault('revoke') },
      { name: 'issue', normal: vault('issue'), rollback: vault('revoke') },
      { name: 'copy', set: { again: '{% {"deep": [password]} %}' } },
      {
        name: 'child',
        flow: {
          name: 'secret-child',
          parameters: { password: '{% again.deep[0] %}', token: '{% token %}' },
        },
      },
      {
        name: 'use',
        normal: vault('use', { token: '{% $steps.issue.token %}' }),
        rollback: vault('revoke'),
      },
      { name: 'end', if: '{% isBad %}', normal: vault('refuse'), rollback: null },
    ],
  },
  'secret-child': {
    description: 'Gives a secret of its own back.',
    input: { type: 'object', properties: { password: SECRET, token: { type: 'string' } } },
    output: { issued: '{% token %}' },
    steps: [{ name: 'use', normal: vault('use'), rollback: vault('revoke') }],
  },
  'secret-report': {
    description: 'Is told how a task ended.',
    steps: [{ name: 'note', normal: { module: 'lab', command: 'succeed' }, rollback: null }],
  },
  'secret-door': {
    description: 'Waits for a person where the password is wrong.',
    input: { type: 'object', properties: { password: SECRET, good: { type: 'string' } } },
    onFailure: 'hold',
    steps: [{ name: 'open', normal: vault('open'), rollback: null }],
  },
  'secret-misfit': {
    description: 'Its command refuses the password that it is given.',
    input: { type: 'object', properties: { password: SECRET } },
    steps: [{ name: 'misfit', normal: vault('misfit'), rollback: null }],
  },
  'secret-made-of': {
    description: 'Makes something else of a secret, which cannot be.',
    input: { type: 'object', properties: { password: SECRET } },
    steps: [{ name: 'make', set: { url: "{% 'db://root:' & password & '@host' %}" } }],
  },
};
