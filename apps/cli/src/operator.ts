import { userInfo } from 'node:os';
import type { CliConfig } from './cli.config.js';

const NAME_LENGTH_MAX = 64;

/**
 * Returns the name of the person who runs the command, for the audit log: the configured name or, if there is none, the
 * user of this machine. The name is not verified. Characters other than letters, digits and `_.@-` become hyphens.
 */
export function operatorName({ operatorName: said }: CliConfig): string {
  const name = (said ?? userName()).replaceAll(/[^\w.@-]/g, '-');
  return name.slice(0, NAME_LENGTH_MAX);
}

/** Returns the user's name or, if the user has none, as in some containers, `user-` and the user id. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user-${process.getuid?.() ?? 'unknown'}`;
  }
}
