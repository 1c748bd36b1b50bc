import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { connect as connectByTls } from 'node:tls';
import { freePorts } from '#libs/platform';
import { waitFor } from '../wait.js';
import { OwnedServer } from './owned-server.js';

/** The supported programs, beginning with the preferred one. Debian 12 has only Redis. */
const PROGRAMS = ['valkey-server', 'redis-server'];
/** The URL of the server of the test run, which the global set-up sets if a server can run. */
export const VALKEY_URL = 'VALKEY_URL';

const START_TIMEOUT_MS = 120_000;
const PING_TIMEOUT_MS = 1_000;

/** Returns the reason why no Valkey or Redis can be started on this machine, or undefined if one can. */
export function valkeyAvailability(): string | undefined {
  return valkeyProgram() === undefined ? `no ${PROGRAMS.join(' or ')} on this machine` : undefined;
}

export interface ValkeyServerOptions {
  /** The folder of the server's log. It is created if it does not exist. */
  folder: string;
  /** The port; by default, a free port. */
  port?: number;
  /** A password, which every client must then send. */
  password?: string;
  /** PEM files of a certificate for 127.0.0.1; with these, clients must use TLS. */
  tls?: { certificateFile: string; keyFile: string };
}

/** A real Valkey or Redis server on loopback, without persistence: after a restart, it is empty. */
export class ValkeyServer {
  private server: OwnedServer;

  private constructor(
    private readonly program: string,
    private readonly options: ValkeyServerOptions & { port: number },
  ) {}

  /** @throws Error if no server program is installed, or if the server does not answer within two minutes. */
  static async start(options: ValkeyServerOptions): Promise<ValkeyServer> {
    const program = valkeyProgram();
    if (program === undefined) throw new Error(valkeyAvailability());
    mkdirSync(options.folder, { recursive: true });
    const port = options.port ?? (await freePorts(1))[0];
    const server = new ValkeyServer(program, { ...options, port });
    await server.launch();
    return server;
  }

  get url(): string {
    const { password, port, tls } = this.options;
    const login = password === undefined ? '' : `:${encodeURIComponent(password)}@`;
    return `${tls ? 'rediss' : 'redis'}://${login}127.0.0.1:${port}`;
  }

  get pid(): number {
    return this.server.pid;
  }

  isRunning(): boolean {
    return this.server.isRunning();
  }

  /** Sends a signal: SIGSTOP suspends the server, and SIGCONT resumes it. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.server.kill(signal);
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  /** Stops the server if it is running, and starts an empty server on the same port. */
  async restart(): Promise<void> {
    await this.stop();
    await this.launch();
  }

  private async launch(): Promise<void> {
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
    this.server = new OwnedServer(this.program, [this.program, ...words], folder);
    try {
      await waitFor(`${this.program} to answer`, () => this.answers(), START_TIMEOUT_MS);
    } catch (error) {
      this.kill();
      const log = readFileSync(join(folder, 'valkey.log'), 'utf8').slice(-500);
      throw new Error(`${this.program} did not start: ${log}`, { cause: error });
    }
    this.server.unref();
  }

  private answers(): Promise<boolean> {
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
