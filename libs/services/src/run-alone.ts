import { FilesConfig, openFiles } from '#libs/files';
import { EventsConfig, openTransport } from '#libs/messaging';
import { runService } from '#libs/platform';
import { connectionConfigs } from './installation-settings.js';
import type { Service } from './service.js';

/**
 * Runs a process with a single service from start to end. Without a broker, the service receives no events, and its own
 * events wait in the outbox until there is one.
 */
export async function runAlone<C extends object>(service: Service<C>): Promise<void> {
  const { name, config: configClass } = service;
  const classes = [configClass, ...connectionConfigs(service)];
  await runService(name, classes, async ({ configs, clock, logger }) => {
    const [config, ...others] = configs as [C, ...object[]];
    const events = others.find((one) => one instanceof EventsConfig) ?? new EventsConfig();
    const forFiles = others.find((one) => one instanceof FilesConfig);
    const transport = openTransport({ config: events, logger });
    const files = forFiles && (await openFiles(forFiles, name, clock));
    const { start } = await service.load();
    const { addresses, stop } = await start({ config, clock, logger, transport, files });
    return {
      addresses,
      stop: async () => {
        await stop();
        await transport.close();
        await files?.close();
      },
    };
  });
}
