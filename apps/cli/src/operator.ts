import { userInfo } from 'node:os';

const NAME_LENGTH_MAX = 64;

/** Who runs the command, for the audit log: the user of this machine. A name, no proof. */
export function operatorName(): string {
  const name = userInfo().username.replaceAll(/[^\w.@-]/g, '-');
  return name.slice(0, NAME_LENGTH_MAX);
}
