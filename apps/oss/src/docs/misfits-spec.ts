import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { SCHEMAS } from './openapi-schemas.js';

const ajv = new Ajv2020({ strict: false });
(addFormatsModule as unknown as typeof addFormatsModule.default)(ajv);

/** The errors of a value by the schema of this name; a member it does not name is one as well. */
export function misfits(name: string, value: unknown): unknown {
  const text = JSON.stringify({ $defs: SCHEMAS, $ref: `#/$defs/${name}` });
  const validate = ajv.compile(
    JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')) as object,
  );
  return validate(value) ? [] : validate.errors;
}
