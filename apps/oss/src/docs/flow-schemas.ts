const text = { type: 'string' };
const whole = { type: 'integer' };
const flag = { type: 'boolean' };

function object(properties: Readonly<Record<string, object>>, optional: string[] = []): object {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, properties };
}

function listOf(items: object): object {
  return { type: 'array', items };
}

/** What is wrong with a flow, and where. */
export const flowProblem = object({
  pointer: text,
  line: whole,
  column: whole,
  code: text,
  message: text,
  hint: text,
});

const place = {
  step: { ...text, description: 'Its name, after those of the steps that hold it.' },
  pointer: { ...text, description: 'Into the version that has it, as `GET` shows it.' },
};

const members = listOf(
  object(
    {
      pointer: text,
      from: { description: 'Absent: the member is new.' },
      to: { description: 'Absent: the member is gone.' },
    },
    ['from', 'to'],
  ),
);

/** The schemas of the versions of flows. */
export const FLOW_SCHEMAS: Readonly<Record<string, object>> = {
  Validation: object({
    valid: flag,
    problems: listOf(flowProblem),
    warnings: listOf(flowProblem),
  }),
  FlowVersions: object({
    items: listOf(
      object({
        version: whole,
        hash: text,
        timeCreate: { ...whole, description: 'Seconds since 1970.' },
      }),
    ),
    page: object({ nextCursor: { type: ['string', 'null'] } }),
  }),
  FlowDiff: object({
    flow: text,
    from: whole,
    to: whole,
    added: listOf(object(place)),
    removed: listOf(object(place)),
    changed: listOf(object({ ...place, members })),
    members: { ...members, description: 'Of the flow itself.' },
  }),
};
