import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  type Type,
  UseFilters,
} from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { type EventClass, type EventEnvelope, describeEvent } from '#libs/contracts';
import type { Transaction } from '#libs/database';

export interface HandlerExtras {
  eventClass: EventClass;
  delivery: 'durable' | 'watching';
}

type DurableHandler<T extends object> = (
  event: EventEnvelope<T>,
  transaction: Transaction,
) => Promise<void>;

type WatchingHandler<T extends object> = (event: EventEnvelope<T>) => Promise<void>;

type HandlerDecorator<Handler> = (
  target: object,
  name: string,
  descriptor: TypedPropertyDescriptor<Handler>,
) => void;

/**
 * Declares a handler that gets each event of a class once, in a transaction that the strategy opens. Its parameters are
 * `@Payload() event` and `@Ctx() transaction`. State events arrive only if they are newer than those already applied to
 * their aggregate. Events of a key arrive one after the other. Events of other keys may be handled at the same time in
 * the same transaction, so each write to data that accounts share must be one statement. An exception rolls back the
 * handler's writes, and the event is retried, stored as failed or dead-lettered. The handler must end within 5 s. Each
 * service has one handler per class.
 */
export function Consumes<T extends object>(
  eventClass: EventClass<T>,
): HandlerDecorator<DurableHandler<T>> {
  return handlerOf({ eventClass, delivery: 'durable' });
}

/**
 * Declares a handler that gets the new events of a class on a best-effort basis: some may be missed, repeated or late,
 * and failures are only logged. It suits caches that also find out about changes in another way.
 */
export function Watches<T extends object>(
  eventClass: EventClass<T>,
): HandlerDecorator<WatchingHandler<T>> {
  return handlerOf({ eventClass, delivery: 'watching' });
}

/** Passes on a handler's error, which Nest's own filter would replace with "Internal server error". */
@Catch()
class RawErrors implements ExceptionFilter {
  catch(error: unknown, _host: ArgumentsHost): never {
    throw error;
  }
}

/** Handlers, by the prototype of their class. */
const handledByMethods = new WeakMap<object, HandlerExtras[]>();

/** Returns the events that the given controllers consume and watch. */
export function handledBy(controllers: readonly Type[]): HandlerExtras[] {
  return controllers.flatMap(({ prototype }) => handledByMethods.get(prototype as object) ?? []);
}

function handlerOf<Handler>(extras: HandlerExtras): HandlerDecorator<Handler> {
  const { type, version } = describeEvent(extras.eventClass);
  return (target, name, descriptor) => {
    const handled = handledByMethods.get(target) ?? [];
    handledByMethods.set(target, [...handled, extras]);
    const untyped = descriptor as PropertyDescriptor;
    UseFilters(new RawErrors())(target, name, untyped);
    EventPattern(`${extras.delivery}:${type}@${version}`, { ...extras })(target, name, untyped);
  };
}
