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

/** The facts about a handler that the strategy learns through Nest. */
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
 * Handles each event of a class once, in a transaction the strategy opens, `(@Payload() event,
 * @Ctx() transaction)`. State events arrive only if they are newer than those already applied to their aggregate.
 * Events of a key arrive one after the other. Events of other keys may be handled at the same time in the same
 * transaction, so data that accounts share is written by single statements. An exception rolls back the handler's
 * writes, and the event is retried, stored as failed or declared dead. The handler must end within 5 s. Each service
 * has one handler per class.
 */
export function Consumes<T extends object>(
  eventClass: EventClass<T>,
): HandlerDecorator<DurableHandler<T>> {
  return handlerOf({ eventClass, delivery: 'durable' });
}

/**
 * Receives the events of a class from now on, with best effort: some may be missed, repeated or late, and failures are
 * only logged. For caches that also learn of changes in another way.
 */
export function Watches<T extends object>(
  eventClass: EventClass<T>,
): HandlerDecorator<WatchingHandler<T>> {
  return handlerOf({ eventClass, delivery: 'watching' });
}

/** Nest's own filter would replace a handler's error by "Internal server error". */
@Catch()
class RawErrors implements ExceptionFilter {
  catch(error: unknown, _host: ArgumentsHost): never {
    throw error;
  }
}

/** Handlers, by the prototype of their class. */
const handledByMethods = new WeakMap<object, HandlerExtras[]>();

/** The events that the given controllers consume and watch. */
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
