import { ValkeyServer } from '#test/environment';
import type { ClusterProcess } from '../processes/cluster-process.js';

/** The cluster's Valkey or Redis, which keeps no data across a restart. */
export class ValkeyProcess implements ClusterProcess {
  readonly name = 'valkey';
  readonly output = '';

  private constructor(private readonly server: ValkeyServer) {}

  static async open(options: { folder: string; port: number }): Promise<ValkeyProcess> {
    return new ValkeyProcess(await ValkeyServer.start(options));
  }

  /** Returns the value of `VALKEY_URL`. */
  get url(): string {
    return this.server.url;
  }

  get pid(): number {
    return this.server.pid;
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.server.kill(signal);
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  async start(): Promise<void> {
    if (!this.server.isRunning()) await this.server.restart();
  }
}
