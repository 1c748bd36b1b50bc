import { type ValidationError, validateSync } from 'class-validator';
import { plainToInstance } from 'class-transformer';
import type { ServiceName } from '#libs/platform';

export interface EventTypeDescription {
  /** `<producer>.<name-in-kebab-case>`. */
  type: string;
  version: number;
  /**
   * A `state` event is a snapshot, applied only if its sequence is newer. Each `delta` event counts once. If one fails,
   * later `delta` events with the same key wait.
   */
  kind: 'state' | 'delta';
}

// oxlint-disable-next-line typescript/no-explicit-any -- as in TypeScript's own InstanceType
export type EventClass<T extends object = object> = new (...parts: any[]) => T;

const descriptions = new Map<EventClass, EventTypeDescription>();
const classes = new Map<string, EventClass>();
const types = new Set<string>();

/**
 * Declares that a class is the data of an event. Its members are ids, times in RFC 3339, and amounts of money as
 * decimal strings.
 */
export function EventType(description: EventTypeDescription): ClassDecorator {
  return (target) => {
    const eventClass = target as unknown as EventClass;
    descriptions.set(eventClass, description);
    classes.set(`${description.type}@${description.version}`, eventClass);
    types.add(description.type);
  };
}

/** Returns the description of an event class. @throws if the class is not an event. */
export function describeEvent(eventClass: EventClass): EventTypeDescription {
  const description = descriptions.get(eventClass);
  if (!description) throw new Error(`${eventClass.name} is not declared with @EventType`);
  return description;
}

/** Returns the class of a type and version; undefined for an unknown one. */
export function eventClassOf(type: string, version: number): EventClass | undefined {
  return classes.get(`${type}@${version}`);
}

/** Whether a class of this type is declared, in any version. */
export function isEventType(type: string): boolean {
  return types.has(type);
}

/** Returns every event class, for the transports and the generated documents. */
export function allEventClasses(): EventClass[] {
  return [...classes.values()];
}

/** Returns the service that an event type belongs to: `account` of `account.api-key-changed`. */
export function producerOf(type: string): ServiceName {
  return type.split('.')[0] as ServiceName;
}

/** An event in transit: `key` is the account id, `sequence` rises per aggregate (with gaps). */
export interface EventEnvelope<T extends object = object> {
  /** UUIDv7. */
  id: string;
  type: string;
  version: number;
  key: string;
  /** `<kind>:<id>`, for example `account:…` or `subscription:…`. */
  aggregate: string;
  /** Decimal string, because a number of microseconds will one day exceed what a double can hold exactly. */
  sequence: string;
  /** RFC 3339. */
  occurredAt: string;
  producer: ServiceName;
  traceparent?: string;
  data: T;
}

/**
 * Converts an event's parsed JSON to its class.
 * @returns the data, or the reasons why it does not match its schema (a permanent failure).
 */
export function parseEventData<T extends object>(
  eventClass: EventClass<T>,
  data: unknown,
): { data: T } | { faults: string[] } {
  const instance = plainToInstance(eventClass, data);
  const errors = validateSync(instance, { forbidUnknownValues: true });
  if (errors.length === 0) return { data: instance };
  return { faults: errors.flatMap((error) => faultsOf(error)) };
}

function faultsOf(error: ValidationError, prefix = ''): string[] {
  const own = Object.values(error.constraints ?? {}).map((text) => `${prefix}${text}`);
  const inner = (error.children ?? []).flatMap((c) => faultsOf(c, `${prefix}${error.property}.`));
  return [...own, ...inner];
}
