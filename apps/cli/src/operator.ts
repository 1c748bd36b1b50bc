import { userInfo } from 'node:os';
import type { CliConfig } from './cli.config.js';

const NAME_LENGTH_MAX = 64;

/** The person who runs the command, for the audit log: as they say, else the user of this machine. A name, no proof. */
export function operatorName({ operatorName: said }: CliConfig): string {
  const name = (said ?? userName()).replaceAll(/[^\w.@-]/g, '-');
  return name.slice(0, NAME_LENGTH_MAX);
}

/** The operator's name; in a container the user is only a number. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user-${process.getuid?.() ?? 'unknown'}`;
  }
}
