import { isUtf8 } from 'node:buffer';
import type { KafkaMessage, Message } from 'kafkajs';
import type { EventMessage } from '../../envelope/event-message.js';

const ID_HEADER = 'id';
/** The maximum length of an id or a key; a longer one would not fit into an index. */
const NAME_LIMIT_BYTES = 200;

/** Converts an event to a record, always as bytes, so that no library looks for a record within it. */
export function toRecord({ id, bucket, key, body }: EventMessage): Message {
  return {
    partition: bucket,
    key: Buffer.from(key, 'utf8'),
    value: Buffer.from(body, 'utf8'),
    headers: { [ID_HEADER]: id },
  };
}

/**
 * Converts a record to an event, whoever wrote it. A value that is not text is stored as base64, which no reader
 * interprets as an event. A record without an id gets its position in the topic as its id.
 */
export function toEventMessage(
  topic: string,
  partition: number,
  { headers, key, value, offset }: KafkaMessage,
): EventMessage {
  const id = headers?.[ID_HEADER];
  return {
    id: nameOf(Array.isArray(id) ? id[0] : id) || `${topic}/${partition}/${offset}`,
    topic,
    bucket: partition,
    key: nameOf(key),
    body: textOf(value ?? Buffer.alloc(0)),
  };
}

function nameOf(bytes: Buffer | string | null | undefined): string {
  if (bytes === null || bytes === undefined) return '';
  const buffer = Buffer.from(bytes);
  const isName = buffer.length <= NAME_LIMIT_BYTES && isText(buffer);
  return isName ? buffer.toString('utf8') : '';
}

function textOf(bytes: Buffer): string {
  return isText(bytes) ? bytes.toString('utf8') : `base64:${bytes.toString('base64')}`;
}

/** True for UTF-8 text without NUL characters, which PostgreSQL's text type does not allow. */
function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0);
}
