import { pick } from '../../support/random.ts';

/** Who asks. Names of users, teams and projects are the same in every tenant. */
export interface Caller {
  readonly name: string;
  readonly tenant: string;
  readonly user?: string;
  readonly teams: readonly string[];
  readonly projects: readonly string[];
  /** An auditor sees every scope of its tenant. */
  readonly isAuditor?: boolean;
}

/** Something stored that only some callers may see, with a mark that no request of anybody else contains. */
export interface Secret {
  readonly tenant: string;
  readonly layer: 'user' | 'session' | 'team' | 'project' | 'company';
  readonly scope: Readonly<Record<string, string>>;
  /** A word by which it is found; probes send it. */
  readonly bait: string;
  /** The mark. Probes never send it. */
  readonly proof: string;
}

/** Whether a caller may see what is in a layer, by the rules of the documentation. */
export function maySee({ tenant, user, teams, projects, isAuditor }: Caller, secret: Secret): boolean {
  if (tenant !== secret.tenant) return false;
  if (isAuditor === true) return true;
  const { layer, scope } = secret;
  switch (layer) {
    case 'company':
      return true;
    case 'team':
      return teams.includes(scope['team']!);
    case 'project':
      return projects.includes(scope['project']!);
    case 'user':
    case 'session':
      return user === scope['user'];
    default:
      return layer satisfies never;
  }
}

/** A word of a kind that occurs nowhere else. */
export function mark(kind: 'bait' | 'proof', random: () => number): string {
  return kind + Array.from({ length: 16 }, () => pick([...'0123456789abcdef'], random)).join('');
}

/** The marks in an answer. */
export function proofsIn(answer: string): string[] {
  return answer.match(/proof[0-9a-f]{16}/g) ?? [];
}
