import { ValidateBy } from 'class-validator';
import { NAME_PATTERN } from '#access';
import { ROLES } from '#ports';
import { IsLabels, IsText, MayBeAbsent } from '../requests/decorators.js';
import { KEY, LABEL_NAME, LABEL_VALUE, LABELS_MAX } from '../requests/limits.js';
import { RequestReader } from '../requests/request-reader.js';

/** Text, or a list of texts. */
function IsTexts(message: string): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    [value].flat().every((text) => typeof text === 'string');
  return ValidateBy({ name: 'isTexts', validator: { validate } }, { message });
}

/** Body of `POST /v1/keys`. */
class CreateKeyRequest {
  @IsText(KEY, '`name` is the name of the key: it stands in journals as who acted.')
  name!: string;

  @IsText(KEY, `\`role\` is one of ${ROLES.join(', ')}.`)
  role!: string;

  @MayBeAbsent()
  @IsTexts('`flows` is a list of names, in which * stands for any text.')
  flows?: string | readonly string[];

  @MayBeAbsent()
  @IsLabels()
  labels?: Readonly<Record<string, string>>;

  @MayBeAbsent()
  @IsTexts('`modules` is a list of names, in which * stands for any text.')
  modules?: string | readonly string[];

  @MayBeAbsent()
  @IsText(KEY, '`expires` is a time like 90d or 12h.')
  expires?: string;
}

function patterns(what: string): object {
  const name = { type: 'string', pattern: NAME_PATTERN };
  const description = `${what} in which * stands for any text. Default: all.`;
  return { oneOf: [{ type: 'array', minItems: 1, items: name }, { type: 'string' }], description };
}

/** The same as a JSON Schema. */
export const CREATE_KEY_SCHEMA = {
  type: 'object',
  required: ['name', 'role'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', pattern: KEY, description: 'Who acts, in journals.' },
    role: { enum: [...ROLES], description: 'What it may do.' },
    flows: patterns('Names of flows'),
    labels: {
      type: 'object',
      maxProperties: LABELS_MAX,
      propertyNames: { pattern: LABEL_NAME },
      additionalProperties: { type: 'string', pattern: LABEL_VALUE },
      description: 'Labels that a task must have. Default: none.',
    },
    modules: patterns('Names of modules'),
    expires: { type: 'string', pattern: KEY, description: '`90d`, `12h`. Default: never.' },
  },
};

/** Reads the body of `POST /v1/keys`. */
export const createKeyReader = new RequestReader(CreateKeyRequest, CREATE_KEY_SCHEMA);
