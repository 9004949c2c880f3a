/**
 * The form in which the value of a template is wanted. `flag`: true or false. `duration`: whole
 * milliseconds from 0 on, of seconds or a text such as `30s`. `moment`: milliseconds since 1970, of
 * seconds or an ISO 8601 text. `first`: the template is a list of conditions, and the value is the
 * position of the first that holds, or their number if none does. `items`: a list with as many
 * entries as a step may have child tasks. `steps`: a list of steps as files write them, whose value
 * is the plan of each, checked like those of a file.
 */
export type TemplateForm =
  | 'flag'
  | 'text'
  | 'duration'
  | 'moment'
  | 'object'
  | 'list'
  | 'items'
  | 'first'
  | 'steps'
  | 'json';

/** The part that members of all types share. */
interface AnyMember {
  /** For the authors of flows: one or two sentences. */
  readonly about: string;
  /** An author may leave it out, and then it says nothing; how a plan has that. */
  readonly optional?: 'null' | 'absent';
  /** An author may leave it out, and then it has this value. */
  readonly default?: null | string | number | readonly never[];
  /** Keywords of its JSON Schema besides those of its type. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

/**
 * The types of values. `part name`: of a case or a branch. `errors`: codes of errors, or any.
 * `computedDuration`, `computedMoment`: a literal, or an expression. `condition`, `list`,
 * `parameters`, `expression`, `object`, `json`: templates of these forms. `tries`: how often a list
 * of steps is tried. `undo`: an action that undoes the step.
 */
export type ValueType =
  | 'text'
  | 'flow'
  | 'name'
  | 'part name'
  | 'code'
  | 'whole'
  | 'number'
  | 'names'
  | 'errors'
  | 'duration'
  | 'computedDuration'
  | 'computedMoment'
  | 'condition'
  | 'list'
  | 'parameters'
  | 'expression'
  | 'object'
  | 'json'
  | 'tries'
  | 'action'
  | 'undo';

/** A value without steps or further members in it. */
export interface ValueMember extends AnyMember {
  readonly type: ValueType;
  /** It is a template: the form in which its value is wanted. Absent: it has no expressions. */
  readonly template?: TemplateForm;
  /**
   * From where its expressions look: at the end of a round, from a child task, or from behind the
   * step. Absent: from before the step.
   */
  readonly from?: 'round' | 'item' | 'behind';
}

/** One of some texts. */
interface WordsMember extends AnyMember {
  readonly type: 'words';
  readonly words: readonly string[];
}

/** A list of steps. `branches`: lists by name, in a plan a list of `{name, steps}`. */
export interface ListMember extends AnyMember {
  readonly type: 'steps' | 'branches';
  /** The word for each list in messages: `Another step of this <list> ...`. */
  readonly list: string;
  /** The kind of the scope that runs a list. `children`: child tasks run it. */
  readonly scope: 'try' | 'case' | 'branch' | 'round' | 'catch' | 'children';
  /** Title of a list in drawings; `{x}` stands for the member `x` of the object around it. */
  readonly title: string;
  /** From the object around a list to the name under which its steps see one value more. */
  readonly sees?: readonly string[];
  /** Of branches. */
  readonly example?: unknown;
}

/** Members by name, in the order in which they are written and shown. */
export type Members = Readonly<Record<string, Member>>;

/** An object, or with `entry` a list of objects. */
export interface ObjectMember extends AnyMember {
  readonly type: 'object of';
  readonly title: string;
  /** Of one object. */
  readonly examples: readonly unknown[];
  /** The members of an object. Several: it has one of these forms, told apart by the first one. */
  readonly forms: readonly Members[];
  /** Exactly one of these is written. */
  readonly oneOf?: readonly string[];
  /** Members that are written with another one only, and that one. */
  readonly belongs?: Readonly<Record<string, string>>;
  /** Title of an entry. */
  readonly entry?: string;
  /** Entries have names that are unique; the default is the position, from 1. */
  readonly named?: true;
  /** It may be written as `true`, without any member. */
  readonly orTrue?: true;
}

/** A member of a step, or of an object in it. */
export type Member = ValueMember | WordsMember | ListMember | ObjectMember;
