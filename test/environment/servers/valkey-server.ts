import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectByTls } from 'node:tls';
import { freePorts } from '#libs/platform';
import { OwnedServer } from './owned-server.js';

/** The supported programs, beginning with the preferred one. Debian 12 has only Redis. */
const PROGRAMS = ['valkey-server', 'redis-server'];
/** The variable with the URL of the test run's server. The global set-up sets it if a server can run. */
export const VALKEY_URL = 'VALKEY_URL';

const PING_TIMEOUT_MS = 1_000;

/** Returns the reason why no Valkey or Redis can be started on this machine, or undefined if one can. */
export function valkeyAvailability(): string | undefined {
  return valkeyProgram() === undefined ? `no ${PROGRAMS.join(' or ')} on this machine` : undefined;
}

export interface ValkeyServerOptions {
  /** The folder of the server's log. It is created if it does not exist. */
  folder: string;
  port?: number;
  password?: string;
  /** PEM files of a certificate for 127.0.0.1; with these, clients must use TLS. */
  tls?: { certificateFile: string; keyFile: string };
}

/** A real Valkey or Redis server on loopback, without persistence: after a restart, it is empty. */
export class ValkeyServer extends OwnedServer {
  readonly name = 'valkey';

  private constructor(
    private readonly program: string,
    private readonly options: ValkeyServerOptions & { port: number },
  ) {
    super(options.folder);
  }

  /** @throws Error if no server program is installed, or if the server does not start. */
  static async start(options: ValkeyServerOptions): Promise<ValkeyServer> {
    const program = valkeyProgram();
    if (program === undefined) throw new Error(valkeyAvailability());
    mkdirSync(options.folder, { recursive: true });
    const port = options.port ?? (await freePorts(1))[0];
    const server = new ValkeyServer(program, { ...options, port });
    await server.start();
    return server;
  }

  get url(): string {
    const { password, port, tls } = this.options;
    const login = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
    return `${tls ? 'rediss' : 'redis'}://${login}127.0.0.1:${port}`;
  }

  protected command(): string[] {
    const { folder, port, password, tls } = this.options;
    const settings = {
      port: tls ? '0' : String(port),
      bind: '127.0.0.1',
      save: '',
      appendonly: 'no',
      dir: folder,
      logfile: join(folder, 'valkey.log'),
      ...(password !== undefined && { requirepass: password }),
      ...(tls && {
        'tls-port': String(port),
        'tls-cert-file': tls.certificateFile,
        'tls-key-file': tls.keyFile,
        'tls-auth-clients': 'no',
      }),
    };
    const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    return [this.program, ...words];
  }

  protected answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const { port, tls } = this.options;
      const address = { port, host: '127.0.0.1' };
      const ask = () => void socket.write('PING\r\n');
      // This checks only whether the server answers, and not its certificate.
      const socket = tls
        ? connectByTls({ ...address, rejectUnauthorized: false }, ask)
        : connect(address, ask);
      const end = (answered: boolean) => {
        socket.destroy();
        resolve(answered);
      };
      socket.setTimeout(PING_TIMEOUT_MS, () => end(false));
      socket.once('data', () => end(true));
      socket.once('error', () => end(false));
      socket.once('close', () => end(false));
    });
  }
}

function valkeyProgram(): string | undefined {
  return PROGRAMS.find((program) => spawnSync(program, ['--version']).status === 0);
}
