import {
  type EventClass,
  type EventEnvelope,
  describeEvent,
  eventClassOf,
  parseEventData,
  producerOf,
} from '#libs/contracts';
import type { ServiceName } from '#libs/platform';
import { topicOf } from './bucket.js';

/** An event as it is sent. Both transports carry this text; no object is shared. */
export interface EventMessage {
  /** The event's id; if the body cannot be read, the broker's id of the message. */
  id: string;
  topic: string;
  /** The partition. */
  bucket: number;
  key: string;
  /** JSON of the envelope. */
  body: string;
}

export interface ReadEvent {
  message: EventMessage;
  event: EventEnvelope;
  eventClass: EventClass;
  kind: 'state' | 'delta';
}

/** A message that could not be read, with the reason. A later release may be able to read an `unknown` message. */
export interface UnreadableEvent {
  message: EventMessage;
  failure: 'malformed' | 'unknown';
  type: string;
  reason: string;
}

/** How the reason of an `unknown` message begins, in this release and in all others. */
export const UNKNOWN_EVENT = 'unknown event ';

/**
 * Reads strictly: an incomplete or invalid event is a failure and is never partly read.
 * @returns undefined for an event of a class that `isWanted` declines.
 */
export function readMessage(
  message: EventMessage,
  isWanted: (eventClass: EventClass) => boolean,
): ReadEvent | UnreadableEvent | undefined {
  const malformed = (reason: string, type = ''): UnreadableEvent => {
    return { message, failure: 'malformed', type, reason };
  };
  let value: unknown;
  try {
    value = JSON.parse(message.body);
  } catch (error) {
    return malformed(`not JSON: ${String(error)}`);
  }
  const faults = envelopeFaults(value, message);
  if (faults.length > 0) return malformed(`bad envelope: ${faults.join(', ')}`, typeOf(value));
  const envelope = value as EventEnvelope;
  const eventClass = eventClassOf(envelope.type, envelope.version);
  if (!eventClass) {
    const reason = `${UNKNOWN_EVENT}${envelope.type} version ${envelope.version}`;
    return { message, failure: 'unknown', type: envelope.type, reason };
  }
  if (!isWanted(eventClass)) return undefined;
  const parsed = parseSafely(eventClass, envelope.data);
  if ('faults' in parsed) return malformed(parsed.faults.join('; '), envelope.type);
  const { traceparent } = envelope;
  const event = {
    ...envelope,
    // The trace is copied into headers and log lines; an otherwise valid event is not lost because of it.
    traceparent: isTraceparent(traceparent) ? traceparent : undefined,
    data: parsed.data,
  };
  return { message, event, eventClass, kind: describeEvent(eventClass).kind };
}

/** Parses without exceptions: parsing libraries may throw for unforeseen data. */
function parseSafely(eventClass: EventClass, data: object): ReturnType<typeof parseEventData> {
  try {
    return parseEventData(eventClass, data);
  } catch (error) {
    return { faults: [`cannot be read: ${String(error)}`] };
  }
}

const MEMBER_CHECKS: Record<string, (value: unknown) => boolean> = {
  id: isEventId,
  type: isText,
  version: Number.isInteger,
  key: isText,
  aggregate: isText,
  sequence: (value) => typeof value === 'string' && /^[0-9]{1,19}$/.test(value),
  occurredAt: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  producer: isText,
  data: isObject,
};

function envelopeFaults(value: unknown, message: EventMessage): string[] {
  if (!isObject(value)) return ['not an object'];
  const faults = Object.entries(MEMBER_CHECKS)
    .filter(([member, isFine]) => !isFine(value[member]))
    .map(([member]) => member);
  if (value.id !== message.id) faults.push('id differs from the message');
  if (value.key !== message.key) faults.push('key differs from the message');
  // A broker lets a service write to its own topic, but does not notice that an event there names another producer.
  const speakers = [value.producer, producerOf(String(value.type))];
  if (speakers.some((speaker) => topicOf(speaker as ServiceName) !== message.topic)) {
    faults.push('topic of another service');
  }
  return faults;
}

function typeOf(value: unknown): string {
  return isObject(value) && typeof value.type === 'string' ? value.type : '';
}

/** True for text in the form of a `traceparent` (W3C Trace Context, version 00). */
function isTraceparent(value: unknown): boolean {
  return typeof value === 'string' && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(value);
}

/** Whether a value is a UUIDv7; the inbox uses its time to select the partition. */
export function isEventId(value: unknown): boolean {
  return typeof value === 'string' && EVENT_ID.test(value);
}

const EVENT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.length > 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
