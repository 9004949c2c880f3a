import { IsIn } from 'class-validator';
import { ACTOR_NAME_PATTERN, LIST_MAX, NAME_PATTERN } from '#access';
import { ROLES } from '#ports';
import { DURATION_PATTERN } from '#wording';
import { Described, Fits, IsLabels, IsText, MayBeAbsent } from '../requests/decorators.js';
import { KEY } from '../requests/limits.js';
import { RequestReader } from '../requests/request-reader.js';

/** Names, in which * stands for any text: a list, or one text with commas. */
function IsPatterns(message: string): PropertyDecorator {
  const name = { type: 'string', pattern: NAME_PATTERN };
  const one = `\\s*${NAME_PATTERN.slice(1, -1)}\\s*`;
  const text = { type: 'string', pattern: `^${one}(,${one})*$` };
  const schema = { oneOf: [{ type: 'array', minItems: 1, maxItems: LIST_MAX, items: name }, text] };
  const validate = (value: unknown): boolean =>
    [value].flat().every((text) => typeof text === 'string');
  return Fits({ name: 'isPatterns', schema, validate, message });
}

/** Body of `POST /v1/keys`. */
class CreateKeyRequest {
  @Described('The actor in journals.', { pattern: ACTOR_NAME_PATTERN })
  @IsText(KEY, '`name` is the name of the key: it stands in journals as who acted.')
  name!: string;

  @Described('Its role, which says what it may do.')
  @IsIn(ROLES, { message: `\`role\` is one of ${ROLES.join(', ')}.` })
  role!: string;

  @Described('Names of flows in which * stands for any text. Default: all.')
  @MayBeAbsent()
  @IsPatterns('`flows` is a list of names, in which * stands for any text.')
  flows?: string | readonly string[];

  @Described('Labels that a task must have; * stands for any text in values. Default: none.')
  @MayBeAbsent()
  @IsLabels(1)
  labels?: Readonly<Record<string, string>>;

  @Described('Names of modules in which * stands for any text. Default: all.')
  @MayBeAbsent()
  @IsPatterns('`modules` is a list of names, in which * stands for any text.')
  modules?: string | readonly string[];

  @Described('`90d`, `12h`. Default: never.', { pattern: DURATION_PATTERN })
  @MayBeAbsent()
  @IsText(KEY, '`expires` is a time like 90d or 12h.')
  expires?: string;
}

/** Reads the body of `POST /v1/keys`. */
export const createKeyReader = new RequestReader(CreateKeyRequest);
