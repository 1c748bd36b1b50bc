import { EventsConfig, openTransport } from '#libs/messaging';
import { runService } from '#libs/platform';
import type { Service } from './service.js';

/**
 * The whole life of a process that is one service. Without a broker it hears nobody and its own events wait
 * in the outbox until there is one.
 */
export async function runAlone<C extends object>(service: Service<C>): Promise<void> {
  const { name, config: configClass, migrations } = service;
  const classes = [configClass, ...(migrations === undefined ? [] : [EventsConfig])];
  await runService(name, classes, async ({ configs, clock, logger }) => {
    const [config, events = new EventsConfig()] = configs as [C, EventsConfig?];
    const transport = openTransport({ config: events, logger });
    const { addresses, stop } = await service.start({ config, clock, logger, transport });
    return {
      addresses,
      stop: async () => {
        await stop();
        await transport.close();
      },
    };
  });
}
