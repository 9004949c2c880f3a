/** Values by the names under which code knows them. */
type Scope = Readonly<Record<string, unknown>>;

type Made = (value: unknown, base?: number) => unknown;

/** A name as code may have it: only those that are words go into code. */
export function safe({ name }: { readonly name: string }): string {
  if (!/^[A-Za-z]\w*$/.test(name)) throw new Error(`${name} cannot be the name of a member`);
  return name;
}

/**
 * A function of a value and its base, made from statements. The engine remembers where an object
 * has each member, and calls each function of the scope directly: a run takes 130 ns to write so,
 * and 430 ns with a loop over the names of members. A commit writes and a read checks about four
 * such objects, on the hot path of a process.
 *
 * It is made at its first call: processes that store nothing may not make code from texts.
 */
export function compile(parameter: string, body: readonly string[], scope: Scope): Made {
  let made: Made | undefined;
  return (value, base) => {
    made ??= make();
    return made(value, base);
  };
  function make(): Made {
    const code = `return (${parameter}, base) => { ${body.join('\n')} };`;
    // The texts are those of this folder, and the names of members that `safe` lets through.
    // oxlint-disable-next-line typescript/no-implied-eval
    return new Function(...Object.keys(scope), code)(...Object.values(scope)) as Made;
  }
}
