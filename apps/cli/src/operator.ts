import { userInfo } from 'node:os';
import type { CliConfig } from './cli.config.js';

const NAME_LENGTH_MAX = 64;

/**
 * Returns the name of the person who runs the command, for the audit log: the configured name or, if there is none, the
 * user of this machine. The name is not verified.
 */
export function operatorName({ operatorName: said }: CliConfig): string {
  const name = (said ?? userName()).replaceAll(/[^\w.@-]/g, '-');
  return name.slice(0, NAME_LENGTH_MAX);
}

/** Returns the user's name. (In a container, the user may have only a number.) */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user-${process.getuid?.() ?? 'unknown'}`;
  }
}
