import { producerOf, describeEvent } from '#libs/contracts';
import { type EventConsumers, type EventReaders, handledBy } from '#libs/messaging';
import type { ServiceName } from '#libs/platform';
import type { AnyService } from './service.js';

/** By producer, the services that must have each of its events: those with a `@Consumes` for one of them. */
export function durableConsumers(services: readonly AnyService[]): EventConsumers {
  const consumers: Partial<Record<ServiceName, ServiceName[]>> = {};
  for (const { name, controllers } of services) {
    for (const producer of producersRead(controllers, ['durable'])) {
      (consumers[producer] ??= []).push(name);
    }
  }
  return consumers;
}

/** By service, whose events it consumes or watches: for the access rules of the topics. */
export function eventReaders(services: readonly AnyService[]): EventReaders {
  const publishing = services.filter(({ migrations }) => migrations !== undefined);
  return Object.fromEntries(
    publishing.map(({ name, controllers }) => [
      name,
      [...producersRead(controllers, ['durable', 'watching'])],
    ]),
  );
}

function producersRead(
  controllers: AnyService['controllers'],
  deliveries: readonly string[],
): Set<ServiceName> {
  const handled = handledBy(controllers).filter(({ delivery }) => deliveries.includes(delivery));
  return new Set(handled.map(({ eventClass }) => producerOf(describeEvent(eventClass).type)));
}
