/** A span as it arrived. */
export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: it has none. */
  readonly parentSpanId: string;
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly links: readonly { traceId: string; spanId: string; relation: unknown }[];
  readonly events: readonly string[];
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly Attribute[];
  readonly status?: { readonly code?: number };
  readonly events?: readonly { readonly name: string }[];
  readonly links?: readonly {
    readonly traceId: string;
    readonly spanId: string;
    readonly attributes?: readonly Attribute[];
  }[];
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource?: { readonly attributes?: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** `STATUS_CODE_ERROR`. */
const ERROR = 2;

/** The spans of an export request. */
export function readSpans(request: OtlpRequest): readonly ReceivedSpan[] {
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const about = valuesOf(resource?.attributes);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => readSpan(span, about)));
  });
}

function readSpan(span: OtlpSpan, resource: ReceivedSpan['resource']): ReceivedSpan {
  const { events = [], links = [], kind, name, parentSpanId = '', spanId, traceId } = span;
  return {
    name,
    kind,
    traceId,
    spanId,
    parentSpanId,
    startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
    endMs: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
    isError: span.status?.code === ERROR,
    attributes: valuesOf(span.attributes),
    resource,
    links: links.map((link) => ({
      traceId: link.traceId,
      spanId: link.spanId,
      relation: valuesOf(link.attributes)['backstep.relation'],
    })),
    events: events.map((event) => event.name),
  };
}

/** Of an attribute's value, the one member says which type it has. */
function valuesOf(attributes: readonly Attribute[] = []): Record<string, unknown> {
  const pairs = attributes.map(({ key, value }) => [key, Object.values(value)[0]] as const);
  return Object.fromEntries(pairs);
}
