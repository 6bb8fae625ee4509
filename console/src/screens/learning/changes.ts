import type { AuditEvent, PolicyFigures } from '@stratalog/client';
import type { Tone } from '../../ui/tone.ts';
import { gainOf, type Gain } from './verdicts.ts';

/** A look at the evidence for a policy, or a change of what is in force. */
export interface PolicyChange {
  readonly what: string;
  readonly note: string;
  readonly tone: Tone;
  readonly gain: Gain | undefined;
  /** Whether the server did it by itself. */
  readonly isOwn: boolean;
}

interface Data {
  readonly version?: string;
  readonly to?: string;
  readonly policy?: { readonly version: string };
  readonly share?: 'canary' | 'all';
  readonly by?: string;
  readonly forced?: boolean;
  readonly incumbent?: string;
  readonly verdict?: string;
  readonly reason?: string;
  readonly figures?: PolicyFigures;
}

/** What a `PolicyPromoted`, `PolicyRolledBack` or `PolicyCompared` says. */
export function changeOf({ type, data, cause }: Pick<AuditEvent, 'type' | 'data' | 'cause'>): PolicyChange {
  const { version, to, policy, share, forced, incumbent, verdict, reason, figures }: Data = data;
  const common = { gain: figures && gainOf(figures), isOwn: cause === 'system' };
  if (type === 'PolicyPromoted')
    return {
      ...common,
      what: share === 'canary' ? 'canary' : 'in force',
      note: `${policy?.version}${forced ? ', without proof' : ''}`,
      tone: 'good',
    };
  if (type === 'PolicyRolledBack')
    return {
      ...common,
      what: 'rolled back',
      note: `${version} to ${to}${reason === 'worse' ? ', because it was worse' : ''}`,
      tone: 'danger',
    };
  return {
    ...common,
    what: verdict === 'reject' ? 'rejected' : 'compared',
    note: `${version} with ${incumbent}: ${reason}`,
    tone: verdict === 'reject' ? 'warn' : 'plain',
  };
}
