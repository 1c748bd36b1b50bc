import { type EventsConfig, openTransport } from '#libs/messaging';
import type { Clock, Logger } from '#libs/platform';
import type { GatewayConfig } from './gateway.config.js';
import { type RunningGateway, startGateway } from './start.js';
import type { ThreadShare } from './threads/thread-messages.js';

export interface OpenGateway {
  config: GatewayConfig;
  events: EventsConfig;
  clock: Clock;
  logger: Logger;
  /** Of a thread, what it has in common with the others. */
  share?: ThreadShare;
  /** Instead of ending the process when it will hear no further events. */
  onDeath?: (error: Error) => void;
}

/** A gateway and what it hears events through: a whole process, or one thread of it. */
export async function openGateway(options: OpenGateway): Promise<RunningGateway> {
  const { events, logger, onDeath } = options;
  // Without a broker it hears no events: the owners' change feeds name what changed.
  const consumers = { account: ['gateway'] } as const;
  const transport = openTransport({ config: events, logger, consumers, onDeath });
  const gateway = await startGateway({ ...options, transport });
  return {
    ...gateway,
    stop: async () => {
      await gateway.stop();
      await transport.close();
    },
  };
}
