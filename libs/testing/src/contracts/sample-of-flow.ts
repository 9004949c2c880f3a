/** What the plan of a sample task has of its flow besides the steps. */
export const SAMPLE_OF_FLOW = {
  constants: { region: 'eu', 'a.$b': [1, {}] },
  locks: [{ name: "{% 'a.$b' & name %}", slots: 2 }],
  failureFlow: 'report',
};
