/**
 * Finds obstacles to a start: another instance in the same folder, or a port in use. `start.js` runs this file before
 * anything is compiled, so it imports only Node's own modules, and its types can simply be erased.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';

export const DEFAULT_DATA_FOLDER = '.data';
export const DEFAULT_PORTS = { API_PORT: 8080, DASHBOARD_PORT: 8081, METRICS_PORT: 9464 };

/** Returns an npm command for the instance of a data folder, as a user would type it. */
export function commandFor(folder: string, command: string): string {
  if (resolve(folder) === resolve(DEFAULT_DATA_FOLDER)) return command;
  const path = resolve(folder);
  return `DATA_DIR=${/^[\w./-]+$/.test(path) ? path : `'${path}'`} ${command}`;
}

export const LOCK_FILE = 'solo.lock';
const PORT_MAX = 65_535;

export interface LockOwner {
  pid: number;
  /** The start time of the process, because its id may belong to another process by now. */
  startedAt: string;
}

/** A fault and its remedy, one sentence each. */
export interface Refusal {
  what: string;
  remedy: string;
}

/** Returns the fault if the product is already running or a port cannot be used; undefined otherwise. */
export async function refusalOf(
  environment: Record<string, string | undefined>,
): Promise<Refusal | undefined> {
  const folder = resolve(environment.DATA_DIR?.trim() || DEFAULT_DATA_FOLDER);
  const holder = lockHolder(folder);
  if (holder !== undefined) return runsAlready(folder, holder, 'solo.json');
  for (const [setting, usual] of Object.entries(DEFAULT_PORTS)) {
    const port = Number(environment[setting]?.trim() || usual);
    // An invalid port is rejected together with all other faults of the settings.
    if (!Number.isInteger(port) || port < 0 || port > PORT_MAX) continue;
    const refusal = await portRefusal(port, setting);
    if (refusal) return refusal;
  }
  return undefined;
}

/**
 * Returns the fault that a running process holds the data folder.
 * @param factsFile the file to which the holder writes its addresses.
 */
export function runsAlready(folder: string, holder: number, factsFile: string): Refusal {
  const stop = factsFile === 'solo.json' ? commandFor(folder, 'npm stop') : `kill ${holder}`;
  return {
    what: `The product is already running in ${folder}, or still stopping (process ${holder}).`,
    remedy: `Its addresses are in ${join(folder, factsFile)}. Stop it with: ${stop}`,
  };
}

/** Returns the id of the running process that holds a data folder, if there is one. */
export function lockHolder(folder: string): number | undefined {
  try {
    const { pid, startedAt } = JSON.parse(
      readFileSync(join(folder, LOCK_FILE), 'utf8'),
    ) as LockOwner;
    return startOf(pid) === startedAt ? pid : undefined;
  } catch {
    // There is no lock, or a crash has truncated it.
    return undefined;
  }
}

/** Returns the reason why nothing can listen on a port of `host`; undefined if it is free. Port 0 is always free. */
export async function portRefusal(
  port: number,
  setting: string,
  host = '127.0.0.1',
): Promise<Refusal | undefined> {
  if (port === 0) return undefined;
  const probe = createServer();
  try {
    await new Promise<void>((done, reject) => {
      probe.once('error', reject).listen({ port, host, exclusive: true }, done);
    });
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isTaken = code === 'EADDRINUSE';
    const other = `${isTaken ? 'Stop the process that uses it, or choose' : 'Choose'} another port`;
    return {
      what: isTaken ? `Port ${port} is taken.` : `Port ${port} cannot be opened (${code}).`,
      remedy: `${other}: ${setting}=0 selects a free port.`,
    };
  } finally {
    await new Promise((done) => probe.close(done));
  }
}

/** Returns the system's start time of a process; undefined if there is no such process. */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Reads field 22 of proc(5). The fields are counted from the end of the name, which may contain spaces and
    // parentheses.
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : rest[18];
  } catch {
    if (process.platform === 'linux') return undefined;
  }
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
