/** An error for a reason that the operator can fix. Only the message is shown. */
export class CommandFault extends Error {}

const OF_FILES: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission.',
  EEXIST: 'there is a file with this name.',
  EISDIR: 'this is a folder, not a file.',
  ENOENT: 'there is no such file or folder.',
  ENOSPC: 'the disk is full.',
  ENOTDIR: 'a part of this path is not a folder.',
  EPERM: 'you have no permission.',
  EROFS: 'the file system is read-only. In a container, write below /tmp.',
};

const OF_SERVERS: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'its name cannot be resolved now.',
  ECONNREFUSED: 'nothing listens there.',
  ECONNRESET: 'it has closed the connection.',
  EHOSTUNREACH: 'there is no route to it.',
  ENETUNREACH: 'there is no route to it.',
  ENOTFOUND: 'there is no host with this name.',
  ETIMEDOUT: 'it does not answer.',
};

/** Matches the SQLSTATEs of a PostgreSQL that rejects the log-in, cannot serve now, or does not have the database. */
const NOT_LET_IN = /^(08|28|3D000|53|57P)/;

interface SystemError extends Error {
  code?: string;
  syscall?: string;
  path?: string;
  address?: string;
  hostname?: string;
  port?: number;
  /** The severity, which only errors of PostgreSQL have. */
  severity?: string;
}

/**
 * Returns a sentence for a common error of the operating system, the network or a database; undefined for other errors.
 */
export function systemFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof AggregateError) return systemFault(error.errors[0]);
  const {
    code = '',
    syscall,
    path,
    address,
    hostname,
    port,
    severity,
    message,
  } = error as SystemError;
  // Commands create missing parents first, so ENOENT means that the file system does not accept new folders.
  if (syscall === 'mkdir' && code === 'ENOENT') return `${path}: no folder can be created here.`;
  if (path !== undefined && code in OF_FILES) return `${path}: ${OF_FILES[code]}`;
  const host = address ?? hostname;
  if (host !== undefined && code in OF_SERVERS) {
    return `${host}${port === undefined ? '' : `:${port}`}: ${OF_SERVERS[code]}`;
  }
  return severity !== undefined && NOT_LET_IN.test(code) ? `PostgreSQL: ${message}.` : undefined;
}

/** Returns the sentence for a 404 of a service. @param command the first word of the command. */
export function notFoundText(command: string | undefined): string {
  if (command === 'source')
    return 'There is no source of this name. `source list` lists all sources.';
  return 'Nothing has this id. `account find` shows which account an id, key or address belongs to.';
}
