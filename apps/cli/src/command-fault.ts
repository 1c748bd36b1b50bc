/** A command cannot be done, for a reason that its operator can remove. The message is all that is shown. */
export class CommandFault extends Error {}

/** Files and folders, by the code of the system's error. */
const OF_FILES: Readonly<Record<string, string>> = {
  EACCES: 'you have no permission.',
  EEXIST: 'there is a file of this name.',
  EISDIR: 'this is a folder, not a file.',
  ENOENT: 'there is no such file or folder.',
  ENOSPC: 'the disk is full.',
  ENOTDIR: 'a part of this path is not a folder.',
  EPERM: 'you have no permission.',
  EROFS: 'the file system is read-only. In a container, write below /tmp.',
};

/** Servers that are not there. */
const OF_SERVERS: Readonly<Record<string, string>> = {
  EAI_AGAIN: 'its name cannot be resolved now.',
  ECONNREFUSED: 'nothing listens there.',
  ECONNRESET: 'it has closed the connection.',
  EHOSTUNREACH: 'there is no way to it.',
  ENETUNREACH: 'there is no way to it.',
  ENOTFOUND: 'there is no host of this name.',
  ETIMEDOUT: 'it does not answer.',
};

/** PostgreSQL takes nobody in, or has no such database (SQLSTATE, its first letters). */
const NOT_LET_IN = /^(08|28|3D000|53|57P)/;

interface SystemError extends Error {
  code?: string;
  syscall?: string;
  path?: string;
  address?: string;
  hostname?: string;
  port?: number;
  /** Only for errors of PostgreSQL. */
  severity?: string;
}

/** A sentence for what the operating system, the network or a database refused; undefined for any other error. */
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
  // The file system has no room for folders: whoever makes one has made those above it.
  if (syscall === 'mkdir' && code === 'ENOENT') return `${path}: no folder can be made here.`;
  if (path !== undefined && code in OF_FILES) return `${path}: ${OF_FILES[code]}`;
  const host = address ?? hostname;
  if (host !== undefined && code in OF_SERVERS) {
    return `${host}${port === undefined ? '' : `:${port}`}: ${OF_SERVERS[code]}`;
  }
  return severity !== undefined && NOT_LET_IN.test(code) ? `PostgreSQL: ${message}.` : undefined;
}
