// Ports of the servers: the defaults of the configuration, unless STACK_<SERVER>_PORT is set.
import { failure } from './failure.mjs';

/** The port in the environment variable `variable`, or `standard` if it is not set. */
export function portOf(variable, standard) {
  const named = process.env[variable];
  if (!named) return standard;
  const port = Number(named);
  if (!/^\d+$/.test(named) || port < 1 || port > 65_535)
    throw failure(`${variable}=${named} is no port: a number from 1 to 65535`);
  return port;
}
