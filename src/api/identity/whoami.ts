import { z } from 'zod';
import { hasRole, roles, type TenantContext } from '../../domain/access/context.ts';
import { environments } from '../../profiles.ts';
import { operation, rolesOf } from '../operation.ts';

const names = z.array(z.string());

const callerSchema = z
  .object({
    tenant: z.string(),
    role: z.enum([...roles, 'none']).meta({
      description: 'The role. If a JWT names several, the one that may do most; `none` if it names none',
    }),
    roles: z.array(z.enum(roles)),
    user: z.string().optional().meta({
      description: 'User of the credential, or the user that the agent acts for',
    }),
    agent: z.string().optional(),
    orgs: names,
    teams: names,
    projects: names,
    sessions: names,
    agents: names,
    users: names.optional().meta({ description: 'Users that a caller of role agent serves' }),
    credential: z.enum(['key', 'jwt', 'development']).meta({
      description: '`development`: no credential, which is accepted until the first key is created',
    }),
    version: z.string().meta({ description: 'Version of the server' }),
    environment: z.enum(environments).meta({ description: 'What the installation is for (`STRATALOG_ENV`)' }),
    operations: names.meta({
      description:
        '`operationId` of each operation that this role can use. What it shows and changes also depends on the caller',
    }),
  })
  .meta({ id: 'Caller' });

/** Reads no memory, so it is not audited. */
export const whoami = operation({
  name: 'whoami',
  summary: 'Show whom the credential stands for, and which operations its role can use',
  area: 'Operation',
  input: z.strictObject({}),
  output: callerSchema,
  examples: {
    input: {},
    output: {
      tenant: 'acme',
      role: 'auditor',
      roles: ['auditor'],
      user: 'dora',
      orgs: [],
      teams: [],
      projects: [],
      sessions: [],
      agents: [],
      credential: 'key',
      version: '0.1.0',
      environment: 'production',
      operations: ['listMemories', 'getMemory', 'search', 'auditEvents', 'whoami'],
    },
  },
  access: 'every-caller',
  async handle({ caller, services: { about } }) {
    const { tenant, user, agent, orgs, teams, projects, sessions, agents, users } = caller;
    return {
      output: {
        tenant,
        role: roles.findLast((role) => caller.roles.includes(role)) ?? ('none' as const),
        roles: [...caller.roles],
        user,
        agent,
        orgs,
        teams,
        projects,
        sessions,
        agents,
        users,
        credential: credentialOf(caller),
        version: about.version,
        environment: about.environment,
        operations: about.operations
          .filter((each) => hasRole(caller, ...rolesOf(each)))
          .map(({ name }) => name),
      },
    };
  },
});

function credentialOf({ principal }: TenantContext): 'key' | 'jwt' | 'development' {
  if (principal.startsWith('key:')) return 'key';
  return principal.startsWith('jwt') ? 'jwt' : 'development';
}
