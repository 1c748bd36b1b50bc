import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withClient } from '#libs/database';
import { freePorts } from '#libs/platform';
import { Daemon, missingPrograms } from '../../../apps/simulators/src/dns/daemon.js';

const PROGRAM = 'pgbouncer';
/** Startup parameters that the services send, but that PgBouncer does not track for each client. */
const NOT_KEPT = 'statement_timeout,idle_in_transaction_session_timeout';
/** The user that runs PgBouncer, which refuses to run as root. */
const NOBODY = 65_534;
const AS_NOBODY = ['--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups'];

/** Returns the reason why PgBouncer cannot be started on this machine, or undefined if it can. */
export function pgBouncerAvailability(): string | undefined {
  return missingPrograms([PROGRAM]).length === 0 ? undefined : `no ${PROGRAM} on this machine`;
}

export interface PgBouncerOptions {
  /** The server's URL for the superuser. PgBouncer looks up passwords as this user. */
  serverUrl: string;
  /** The maximum number of connections to the server for each role. */
  poolSize: number;
}

/** A real PgBouncer in transaction mode, with the settings from docs/operations/databases.md. */
export class PgBouncer {
  private readonly folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
  private daemon?: Daemon;

  private constructor(
    readonly port: number,
    private readonly options: PgBouncerOptions,
  ) {}

  static async start(options: PgBouncerOptions): Promise<PgBouncer> {
    const [port] = await freePorts(1);
    const pooler = new PgBouncer(port, options);
    await pooler.launch();
    return pooler;
  }

  /** Returns the URL of the same database through PgBouncer. */
  url(direct: string): string {
    const url = new URL(direct);
    url.port = String(this.port);
    url.searchParams.delete('host');
    return url.toString();
  }

  async pools(): Promise<Record<string, string>[]> {
    const url = new URL(this.url(this.options.serverUrl));
    url.pathname = '/pgbouncer';
    return withClient(url.toString(), async (client) => (await client.query('show pools')).rows);
  }

  async stop(): Promise<void> {
    await this.daemon?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async launch(): Promise<void> {
    const identity = process.getuid?.() === 0 ? AS_NOBODY : [];
    const words = ['--pdeathsig', 'KILL', ...identity, PROGRAM, this.write()];
    this.daemon = await Daemon.start('setpriv', words, { address: '127.0.0.1', port: this.port });
  }

  private write(): string {
    const { hostname, port, username, password } = new URL(this.options.serverUrl);
    const [users, file] = ['users.txt', 'pgbouncer.ini'].map((name) => join(this.folder, name));
    writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`);
    writeFileSync(
      file,
      `[databases]
* = host=${hostname} port=${port} auth_user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${this.port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
admin_users = ${username}
pool_mode = transaction
default_pool_size = ${this.options.poolSize}
max_client_conn = 1000
ignore_startup_parameters = ${NOT_KEPT}
`,
    );
    if (process.getuid?.() === 0) {
      for (const path of [this.folder, users, file]) chownSync(path, NOBODY, NOBODY);
    }
    return file;
  }
}
