import { type Redaction, type RegistrationRecord, isContactRole } from '../record.js';
import { readJcard } from './cards/jcard.js';
import { type JsonObject, listIn, objectsIn, textIn } from './json-reading.js';
import { readJsContact } from './cards/jscontact.js';
import type { PublishedContact } from './cards/published-contact.js';

/** Depth to which nested entities are read: a registrar's abuse contact is at 2. */
const ENTITY_DEPTH_MAX = 3;
/** Maximum number of entities over all depths; a normal answer has a dozen. */
const ENTITIES_MAX = 300;

/** A party of an object (RFC 9083 §5.1) with the contents of its card. */
export interface Entity {
  json: JsonObject;
  roles: string[];
  depth: number;
  card: PublishedContact;
}

/** All entities below an object, outer before inner. */
export function entitiesOf(json: JsonObject): Entity[] {
  const found: Entity[] = [];
  let parents: readonly JsonObject[] = [json];
  for (let depth = 1; depth <= ENTITY_DEPTH_MAX; depth += 1) {
    const here = parents.flatMap(({ entities }) => objectsIn(entities));
    parents = here.slice(0, ENTITIES_MAX - found.length);
    for (const entity of parents) {
      found.push({ json: entity, roles: rolesOf(entity), depth, card: cardOf(entity) });
    }
  }
  return found;
}

function rolesOf(json: JsonObject): string[] {
  const { roles } = json;
  return (Array.isArray(roles) ? listIn(roles) : [roles])
    .map((role) => textIn(role)?.toLowerCase())
    .filter((role) => role !== undefined);
}

function cardOf(json: JsonObject): PublishedContact {
  const jcard = readJcard(json['vcardArray']);
  const hasCard = Object.keys(jcard.contact).length > 0 || jcard.withheld.length > 0;
  return hasCard ? jcard : readJsContact(json['jscontact_card'] ?? json['jscard']);
}

/** The first contact of each role, and which of its values are withheld. */
export function readContacts(entities: readonly Entity[]) {
  const contacts: RegistrationRecord['contacts'] = {};
  const redactions: Redaction[] = [];
  for (const { json, roles, card } of entities) {
    for (const role of roles.filter(isContactRole)) {
      if (contacts[role] !== undefined) continue;
      for (const member of card.withheld) {
        redactions.push({ path: `contacts.${role}.${member}`, basis: 'text' });
      }
      const handle = textIn(json['handle']);
      const contact = { ...(handle === undefined ? {} : { handle }), ...card.contact };
      if (Object.keys(contact).length > 0) contacts[role] = contact;
    }
  }
  return { contacts, redactions };
}
