import type { Logger, ServiceName } from '#libs/platform';
import { type EventMessage, readMessage } from '../envelope/event-message.js';
import type { EventHandlers } from './inbox.js';

/** A service that receives events on a best-effort basis. */
export interface Watcher {
  service: ServiceName;
  handlers: EventHandlers;
  logger: Logger;
}

/** Passes a message to a watcher that has a handler for the event; failures are only logged. */
export async function tell(
  { service, handlers, logger }: Watcher,
  message: EventMessage,
): Promise<void> {
  try {
    const read = readMessage(message, (eventClass) => handlers.has(eventClass));
    if (read && 'event' in read) await handlers.get(read.eventClass)?.(read.event);
  } catch (error) {
    logger.warn(`${service} failed to handle an event`, error);
  }
}
