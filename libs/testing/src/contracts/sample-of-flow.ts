/** The part of a sample task's plan that comes from its flow, without the steps. */
export const SAMPLE_OF_FLOW = {
  constants: { region: 'eu', 'a.$b': [1, {}] },
  locks: [{ name: "{% 'a.$b' & name %}", slots: 2 }],
  failureFlow: 'report',
  references: ['vault:kv/db#password', 'file:db/root'],
  limits: { starters: [{ flows: ['create-*'], modules: null }], secretsUntil: 1_763_700_000_000 },
  origin: { requestId: 'r 1', client: '10.0.0.7', operator: 'ann ü' },
  starter: { name: 'ann', keyId: 'https://issuer#ann "ü"', madeBy: 'root' },
};
