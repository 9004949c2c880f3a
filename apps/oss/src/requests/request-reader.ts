import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { getMetadataStorage, type ValidationError, validateSync } from 'class-validator';
import { type InputFault, invalidRequest, pointerPart } from '#nest';
import { isJsonObject, labelFaults } from './decorators.js';

const ajv = new Ajv2020({ strict: false, ownProperties: true, logger: false });

/**
 * Reads bodies of one kind. The class is what decides, and what explains; the schema, compiled,
 * only says yes quickly to what the class would say yes to as well, because asking the class costs
 * more than everything else of a request.
 */
export class RequestReader<T extends object> {
  private readonly accepts: ValidateFunction<T>;
  private readonly known: readonly string[];

  constructor(
    private readonly type: new () => T,
    schema: object,
  ) {
    this.accepts = ajv.compile<T>(schema);
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    this.known = [...new Set(rules.map(({ propertyName }) => propertyName))];
  }

  /** The body, or a `Problem` with everything that is wrong with it. */
  read(body: unknown): T {
    if (this.accepts(body)) return body;
    const faults = this.faultsOf(body);
    if (faults.length > 0) throw invalidRequest(...faults);
    return body as T;
  }

  /** What the class has against the body. */
  faultsOf(body: unknown): readonly InputFault[] {
    if (!isJsonObject(body)) return [{ pointer: '', message: 'The body must be a JSON object.' }];
    const unknown = Object.keys(body).filter((name) => !this.known.includes(name));
    const request = new this.type();
    for (const name of this.known) {
      if (Object.hasOwn(body, name)) Object.assign(request, { [name]: body[name] });
    }
    const errors = validateSync(request, { forbidUnknownValues: true });
    return [...unknown.map((name) => this.unknownMember(name)), ...errors.flatMap(faultsOfMember)];
  }

  private unknownMember(name: string): InputFault {
    const shown = name.length > 60 ? `${name.slice(0, 60)}...` : name;
    return {
      pointer: pointerPart(name),
      message: `\`${shown}\` is not known here.`,
      hint: `Known are ${this.known.join(', ')}.`,
    };
  }
}

function faultsOfMember({ property, value, constraints }: ValidationError): readonly InputFault[] {
  if (constraints?.['isLabels'] !== undefined) return labelFaults(value);
  const [message = 'It cannot be read.'] = Object.values(constraints ?? {});
  const missing = value === undefined ? ' It is missing.' : '';
  return [{ pointer: pointerPart(property), message: `${message}${missing}` }];
}
