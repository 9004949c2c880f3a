import type { InputSchema, Json, MemberSchema } from '../api/shapes.js';

const BY_TYPE: Readonly<Record<string, Json>> = {
  string: '',
  boolean: false,
  array: [],
  object: {},
};

/** Parameters to begin a plan with: the members that the input of the flow requires. */
export function sampleOf(flow: Json): string {
  const { input } = (flow ?? {}) as { readonly input?: InputSchema };
  const { properties = {}, required = [] } = input ?? {};
  const members = required.map((name) => [name, valueOf(properties[name] ?? {})] as const);
  return JSON.stringify(Object.fromEntries(members), null, 2);
}

function valueOf(schema: MemberSchema): Json {
  const { default: given, enum: choices, minimum, type } = schema;
  const kind = [type ?? ''].flat()[0] ?? '';
  return given ?? choices?.[0] ?? BY_TYPE[kind] ?? minimum ?? 1;
}
