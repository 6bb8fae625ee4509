// Where the servers listen: the defaults of the configuration, unless STACK_<SERVER>_PORT names another port.
import { failure } from './failure.mjs';

/** The port that `variable` names, else `standard`. */
export function portOf(variable, standard) {
  const named = process.env[variable];
  if (!named) return standard;
  const port = Number(named);
  if (!/^\d+$/.test(named) || port < 1 || port > 65_535)
    throw failure(`${variable}=${named} is no port: a number from 1 to 65535`);
  return port;
}
