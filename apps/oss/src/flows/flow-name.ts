/** The form of the name of a flow, as flow files take it. */
export const FLOW_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** A flow as a request for a task names it: `name`, or `name@3` for a version. */
interface FlowReference {
  readonly name: string;
  /** Undefined: the newest. */
  readonly version: number | undefined;
}

const WITH_VERSION = /^([^@]+)@([1-9]\d{0,8})$/;

/** Which flow is meant; what is no version belongs to the name. */
export function readFlowReference(text: string): FlowReference {
  const [, name, version] = WITH_VERSION.exec(text) ?? [];
  if (name === undefined || version === undefined) return { name: text, version: undefined };
  return { name, version: Number(version) };
}
