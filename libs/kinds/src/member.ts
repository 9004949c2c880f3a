/** The form in which a template is wanted when it has been evaluated; see `AnswerKind` of the core. */
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

/** What a member of any type says. */
interface AnyMember {
  /** For the authors of flows: one or two sentences. */
  readonly about: string;
  /** Keywords of its JSON Schema besides those of its type. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** An author may leave it out, and then it says nothing. `null`, `absent`: how a plan has that. */
  readonly optional?: 'null' | 'absent';
  /** An author may leave it out, and then it has this value. */
  readonly default?: null | string | number | readonly never[];
}

/**
 * The types of values. `computedDuration`, `computedMoment`: a literal, or an expression.
 * `part name`: of a case or a branch. `errors`: codes of errors, or any. `condition`, `list`, `parameters`, `expression`, `object`, `json`: templates of these forms.
 * `tries`: how often a list of steps is tried. `undo`: an action that undoes the step.
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
export interface WordsMember extends AnyMember {
  readonly type: 'words';
  readonly words: readonly string[];
}

/** What a member that holds steps says of each of its lists. */
interface Holding {
  /** The word for the list in messages: `Another step of this <list> ...`. */
  readonly list: string;
  /** The kind of the scope that runs the list. `children`: child tasks run it. */
  readonly scope: 'try' | 'case' | 'branch' | 'round' | 'catch' | 'children';
  /** Title of the list in drawings; `{x}` stands for the member `x` of what holds the list. */
  readonly title: string;
  /** From what holds the list to the name under which its steps see one value more. */
  readonly sees?: readonly string[];
}

/** A list of steps. */
export interface StepsMember extends AnyMember, Holding {
  readonly type: 'steps';
}

/** Lists of steps by name. In a plan: a list of `{name, steps}`. */
export interface BranchesMember extends AnyMember, Holding {
  readonly type: 'branches';
  readonly example: unknown;
}

/** Members by name, in the order in which they are written and shown. */
export type Members = Readonly<Record<string, Member>>;

/** An object. */
export interface ObjectMember extends AnyMember {
  readonly type: 'object of';
  readonly title: string;
  readonly examples: readonly unknown[];
  readonly members: Members;
  /** Exactly one of these is written. */
  readonly oneOf?: readonly string[];
  /** Members that are written with another one only, and that one. */
  readonly belongs?: Readonly<Record<string, string>>;
}

/** One of several objects, told apart by their first members. */
export interface FormsMember extends AnyMember {
  readonly type: 'one of';
  readonly title: string;
  readonly examples: readonly unknown[];
  readonly forms: readonly Members[];
}

/** True, or an object. */
export interface TrueOrMember extends AnyMember {
  readonly type: 'true or';
  readonly title: string;
  readonly examples: readonly unknown[];
  readonly members: Members;
}

/** A list of objects. One that is `named` has names that are unique; the default is its position. */
export interface EntriesMember extends AnyMember {
  readonly type: 'entries';
  readonly title: string;
  /** Title of an entry. */
  readonly entry: string;
  readonly example: unknown;
  readonly members: Members;
  readonly named?: true;
}

/** A member of a step, or of an object in it. */
export type Member =
  | ValueMember
  | WordsMember
  | StepsMember
  | BranchesMember
  | ObjectMember
  | FormsMember
  | TrueOrMember
  | EntriesMember;
