import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { Module } from '@nestjs/common';
import { Ctx } from '@nestjs/microservices';
import { IsString, MinLength } from 'class-validator';
import { Command, type CommandContext, Executor, TerminalError } from '#executor';

/** A secret that a command gives, the same each time. */
export const ISSUED = 'issued-K7v3"q\\Zw9-token';

/** The fingerprint of a secret that a command was given in clear: a test compares it. */
export function proofOf(secret: unknown): string {
  return createHash('sha256').update(String(secret)).digest('hex');
}

class LoginParameters {
  @IsString()
  @MinLength(12)
  password!: string;
}

class WrongParameters {
  @IsString()
  @MinLength(500)
  password!: string;
}

interface Given {
  readonly password?: string;
  readonly token?: string;
  readonly users?: readonly { readonly pass: string }[];
}

/** Takes and gives secrets, and says aloud whatever it can of them. */
@Executor('vault')
export class VaultExecutor {
  @Command('login')
  login({ password }: LoginParameters, @Ctx() context: CommandContext): object {
    note(context, { password });
    return { loginProof: proofOf(password), greeting: `logged in with ${password}!` };
  }

  @Command('issue', { secrets: ['token'] })
  issue(): object {
    return { token: ISSUED, tokenUrl: `https://vault/?t=${encodeURIComponent(ISSUED)}` };
  }

  @Command('use')
  use({ password, token, users }: Given, context: CommandContext): object {
    const pass = users?.[0]?.pass;
    note(context, { password, token, pass, results: context.results['issue']?.['token'] });
    return { useProof: proofOf(token) };
  }

  @Command('revoke')
  revoke({ password, token }: Given, context: CommandContext): null {
    note(context, { password, token, output: context.output?.['token'] });
    return null;
  }

  @Command('refuse')
  refuse({ password }: Given): never {
    throw new TerminalError(`cannot log in as root with ${password}, ${JSON.stringify(password)}`);
  }

  @Command('misfit')
  misfit(_parameters: WrongParameters): null {
    return null;
  }

  /** Takes the one password whose proof it was given. */
  @Command('open')
  open({ good, password }: Given & { readonly good?: string }): object {
    if (proofOf(password) === good) return { opened: true };
    throw new TerminalError(`wrong password: ${password}`);
  }
}

/** The executor as a module of Nest. */
@Module({ controllers: [VaultExecutor] })
export class VaultModule {}

/** One line of the file in which proofs are. */
export interface Proof {
  readonly taskId: string;
  readonly step: string;
  readonly direction: string;
  readonly proofs: Readonly<Record<string, string>>;
}

/** File of the proofs in the folder of a process. */
export const PROOFS = 'proofs.jsonl';

function note({ direction, step, taskId }: CommandContext, given: object): void {
  const proofs = Object.entries(given).map(([name, value]) => [name, proofOf(value)] as const);
  const line = { taskId, step, direction, proofs: Object.fromEntries(proofs) };
  appendFileSync(path.join(process.cwd(), PROOFS), `${JSON.stringify(line)}\n`);
}
