import type { Contact, Redaction } from '../record.js';
import { cardOf } from './entities.js';
import { readEvents } from './events.js';
import { objectsIn, present, textIn } from './json-reading.js';
import type { JsonObject } from './rdap-client.js';
import type { ResourceRecord } from './network-record.js';
import { readStatuses } from './rdap-record.js';
import { readRedactions } from './redactions.js';

/** A person, organisation or registrar as an object of its own (RFC 9083 §5.1). */
export interface EntityRecord extends Pick<ResourceRecord, 'created' | 'updated' | 'statuses'> {
  handle?: string;
  contact: Contact;
  url?: string;
  /** Numbers others gave the entity, by their kind (`IANA Registrar ID`). */
  publicIds: Record<string, string>;
  redactions: Redaction[];
}

/** Reads an entity; undefined when the object says nothing of one. */
export function readRdapEntity(json: JsonObject): EntityRecord | undefined {
  if ((textIn(json['objectClassName'])?.toLowerCase() ?? 'entity') !== 'entity') return undefined;
  const { contact, url, withheld } = cardOf(json);
  const handle = textIn(json['handle']);
  if (handle === undefined && Object.keys(contact).length === 0) return undefined;
  const { created, updated } = readEvents(json);
  const placeholders = withheld.map((path): Redaction => ({ path, basis: 'text' }));
  return present<EntityRecord>({
    handle,
    contact,
    url,
    created,
    updated,
    statuses: readStatuses(json),
    publicIds: publicIdsOf(json),
    redactions: [...readRedactions(json), ...placeholders],
  });
}

function publicIdsOf(json: JsonObject): Record<string, string> {
  const ids = objectsIn(json['publicIds']).flatMap(({ type, identifier }) => {
    const [name, value] = [textIn(type), textIn(identifier)];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(ids);
}
