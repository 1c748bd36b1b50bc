import { type EventsConfig, openTransport } from '#libs/messaging';
import type { Clock, Logger } from '#libs/platform';
import type { GatewayConfig } from './gateway.config.js';
import { type RunningGateway, startGateway } from './start.js';

export interface OpenGateway {
  config: GatewayConfig;
  events: EventsConfig;
  clock: Clock;
  logger: Logger;
}

/** A gateway and what it hears events through: a whole process. */
export async function openGateway(options: OpenGateway): Promise<RunningGateway> {
  const { events, logger } = options;
  // Without a broker it hears no events: the owners' change feeds name what changed.
  const consumers = { account: ['gateway'] } as const;
  const transport = openTransport({ config: events, logger, consumers });
  const gateway = await startGateway({ ...options, transport });
  return {
    ...gateway,
    stop: async () => {
      await gateway.stop();
      await transport.close();
    },
  };
}
