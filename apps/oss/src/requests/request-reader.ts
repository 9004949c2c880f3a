import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type ValidationError, validateSync } from 'class-validator';
import { pointerPart } from '#json';
import { type InputFault, InputFaults } from '#http-server';
import { type BodySchema, schemaOfBody } from './body-schema.js';
import { Fits, isJsonObject, labelFaults } from './decorators.js';

const ajv = new Ajv2020({
  strict: false,
  ownProperties: true,
  logger: false,
  // Ours are schemas: their own schema takes longer than all of them to compile.
  meta: false,
  validateSchema: false,
});

/**
 * Reads bodies of one kind. The class is what decides, and what explains; its JSON Schema,
 * compiled, only says yes quickly to what the class would say yes to as well, because asking the
 * class costs more than everything else of a request.
 */
export class RequestReader<T extends object> {
  /** The JSON Schema of the class, as the OpenAPI document has it. */
  readonly schema: BodySchema;
  /** Compiled for the first body, not at every start. */
  private accepts: ValidateFunction<T> | undefined;
  private readonly known: readonly string[];

  /** Bodies are taken at once that fit the schema `quick`; default: that of the class. */
  constructor(
    private readonly type: new () => T,
    private readonly quick?: object,
  ) {
    this.schema = schemaOfBody(type);
    this.known = Object.keys(this.schema.properties);
  }

  /** The body, or a `Problem` with what is wrong with it. */
  read(body: unknown): T {
    const accepts = (this.accepts ??= ajv.compile<T>(this.quick ?? this.schema));
    if (accepts(body)) return body;
    this.judge(body).finish();
    return body as T;
  }

  /** The mistakes that the class finds in the body, as far as an answer lists them. */
  faultsOf(body: unknown): readonly InputFault[] {
    return this.judge(body).listed;
  }

  private judge(body: unknown): InputFaults {
    const faults = new InputFaults();
    if (!isJsonObject(body)) {
      faults.add(() => ({ pointer: '', message: 'The body must be a JSON object.' }));
      return faults;
    }
    for (const name of Object.keys(body)) {
      if (!this.known.includes(name)) faults.add(() => this.unknownMember(name));
    }
    const request = new this.type();
    for (const name of this.known) {
      if (Object.hasOwn(body, name)) Object.assign(request, { [name]: body[name] });
    }
    for (const error of validateSync(request, { forbidUnknownValues: true })) {
      for (const fault of faultsOfMember(error)) faults.add(() => fault);
    }
    return faults;
  }

  private unknownMember(name: string): InputFault {
    const shown = name.length > 60 ? `${name.slice(0, 60)}...` : name;
    return {
      pointer: pointerPart(name),
      message: `\`${shown}\` is not known here.`,
      hint: `Known names: ${this.known.join(', ')}.`,
    };
  }
}

function faultsOfMember({ property, value, constraints }: ValidationError): readonly InputFault[] {
  if (constraints?.['isLabels'] !== undefined) return labelFaults(value);
  const [message = 'It cannot be read.'] = Object.values(constraints ?? {});
  const missing = value === undefined ? ' It is missing.' : '';
  return [{ pointer: pointerPart(property), message: `${message}${missing}` }];
}

/** A member that is read as a body of its own. */
export function IsReadBy(reader: RequestReader<object>, message: string): PropertyDecorator {
  const validate = (value: unknown): boolean => reader.faultsOf(value).length === 0;
  return Fits({ name: 'isRead', schema: reader.schema, validate, message });
}
