/** What a command that starts the server, or looks at its configuration, is told on the command line. */
export interface ServeOptions {
  readonly profile?: string;
  readonly role?: string;
  readonly data?: string;
  readonly host?: string;
  readonly port?: string;
}

/** Options win over the environment. */
export function environmentWith({ profile, role, data, host, port }: ServeOptions): NodeJS.ProcessEnv {
  const chosen = {
    STRATALOG_PROFILE: profile,
    STRATALOG_ROLES: role,
    STRATALOG_DATA: data,
    STRATALOG_HOST: host,
    STRATALOG_PORT: port,
  };
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  return { ...process.env, ...Object.fromEntries(given) };
}
