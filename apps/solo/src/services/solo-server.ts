import { EmbeddedServer, type EmbeddedServerOptions } from '#libs/database';
import { type Logger, Loop } from '#libs/platform';

const CHECK_MS = 2_000;

interface Told {
  logger: Logger;
  say: (line: string) => void;
}

/**
 * The installation's own PostgreSQL. If it ends unexpectedly, for example on a full disk, it is restarted on the same
 * port.
 */
export class SoloServer {
  private readonly checks: Loop;
  private isMissed = false;

  private constructor(
    private server: EmbeddedServer,
    private readonly options: EmbeddedServerOptions,
    { logger, say }: Told,
  ) {
    const work = async () => this.check(say);
    this.checks = new Loop({ name: 'database server', intervalMs: CHECK_MS, logger, work });
    void this.checks.start(CHECK_MS);
  }

  /** Starts the server, or adopts a server that a killed process left running. */
  static async start(options: EmbeddedServerOptions, told: Told): Promise<SoloServer> {
    return new SoloServer(await EmbeddedServer.start(options), options, told);
  }

  /**
   * Returns the actual data folder, which differs from the requested folder if PostgreSQL's user cannot reach that
   * folder.
   */
  get folder(): string {
    return this.server.folder;
  }

  /** Returns the URL of the superuser, which remains the same when the server is started again. */
  url(): string {
    return this.server.url();
  }

  async stop(): Promise<void> {
    await this.checks.stop();
    await this.server.stop();
  }

  private async check(say: Told['say']): Promise<void> {
    if (this.server.isRunning) return;
    if (!this.isMissed) {
      say(
        `The database server has stopped unexpectedly; ${this.folder}/postgres.log says why. If the disk is full, free some space. A restart is tried every few seconds until the server runs.`,
      );
    }
    this.isMissed = true;
    this.server = await EmbeddedServer.start({
      ...this.options,
      existing: true,
      port: this.server.port,
    });
    this.isMissed = false;
    say('The database server is running again.');
  }
}
