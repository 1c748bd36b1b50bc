import { producerOf, describeEvent } from '#libs/contracts';
import { type EventConsumers, type EventReaders, handledBy } from '#libs/messaging';
import type { ServiceName } from '#libs/platform';
import type { AnyService, ServiceCode } from './service.js';

/**
 * Lists, for each producer, the services that must receive each of its events: those with a `@Consumes` for at least
 * one of them.
 */
export async function durableConsumers(services: readonly AnyService[]): Promise<EventConsumers> {
  const consumers: Partial<Record<ServiceName, ServiceName[]>> = {};
  for (const { name, load } of services) {
    const { controllers } = await load();
    for (const producer of producersRead(controllers, ['durable'])) {
      (consumers[producer] ??= []).push(name);
    }
  }
  return consumers;
}

/**
 * Lists, for each service with a schema, the producers whose events it consumes or watches, for the access rules of the
 * topics.
 */
export async function eventReaders(services: readonly AnyService[]): Promise<EventReaders> {
  const readers: Partial<Record<ServiceName, ServiceName[]>> = {};
  for (const { name, migrations, load } of services) {
    if (!migrations) continue;
    const { controllers } = await load();
    readers[name] = [...producersRead(controllers, ['durable', 'watching'])];
  }
  return readers;
}

function producersRead(
  controllers: ServiceCode['controllers'],
  deliveries: readonly string[],
): Set<ServiceName> {
  const handled = handledBy(controllers).filter(({ delivery }) => deliveries.includes(delivery));
  return new Set(handled.map(({ eventClass }) => producerOf(describeEvent(eventClass).type)));
}
