import { type Contact, type Redaction, type RegistrationRecord, isContactRole } from '../record.js';
import { readJcard } from './cards/jcard.js';
import { type JsonObject, listIn, objectsIn, textIn } from './json-reading.js';
import { readJsContact } from './cards/jscontact.js';
import type { PublishedContact } from './cards/published-contact.js';

/** The depth to which nested entities are read; a registrar's abuse contact is at depth 2. */
const ENTITY_DEPTH_MAX = 3;
/** Maximum number of entities over all depths; a normal answer has about a dozen. */
const ENTITIES_MAX = 300;

/** A party of an object (RFC 9083 §5.1), with the contents of its card. */
export interface Entity {
  json: JsonObject;
  roles: string[];
  depth: number;
  /**
   * True for an entity within a seller of the name (a registrar or reseller), whose contacts do not belong to the name.
   */
  isOfSeller: boolean;
  isOfReseller: boolean;
  card: PublishedContact;
}

interface Parent {
  json: JsonObject;
  isSeller: boolean;
  isReseller: boolean;
}

const SELLERS: ReadonlySet<string> = new Set(['registrar', 'reseller', 'sponsor']);
/** The roles in which an entity within a seller also belongs to the name. */
const ROLES_OF_SELLER: ReadonlySet<string> = new Set(['abuse', 'reseller']);

/** Returns the entities below an object, up to the limits, outer ones before inner ones. */
export function entitiesOf(json: JsonObject): Entity[] {
  const found: Entity[] = [];
  let parents: readonly Parent[] = [{ json, isSeller: false, isReseller: false }];
  for (let depth = 1; depth <= ENTITY_DEPTH_MAX; depth += 1) {
    const here = parents.flatMap((above) =>
      objectsIn(above.json['entities']).map((entity) => ({
        json: entity,
        isOfSeller: above.isSeller,
        isOfReseller: above.isReseller,
      })),
    );
    parents = here.slice(0, ENTITIES_MAX - found.length).map((one) => {
      const roles = rolesOf(one.json);
      found.push({ ...one, roles, depth, card: cardOf(one.json) });
      return {
        json: one.json,
        isSeller: one.isOfSeller || roles.some((role) => SELLERS.has(role)),
        isReseller: one.isOfReseller || roles.includes('reseller'),
      };
    });
  }
  return found;
}

function rolesOf({ roles }: JsonObject): string[] {
  return (Array.isArray(roles) ? listIn(roles) : [roles])
    .map((role) => textIn(role)?.toLowerCase())
    .filter((role) => role !== undefined);
}

function cardOf(json: JsonObject): PublishedContact {
  const jcard = readJcard(json['vcardArray']);
  const hasCard = Object.keys(jcard.contact).length > 0 || jcard.withheld.length > 0;
  return hasCard ? jcard : readJsContact(json['jscontact_card'] ?? json['jscard']);
}

/**
 * Returns the first contact of each role, and which of its values are withheld. The abuse contact of a reseller counts
 * only if there is no other.
 */
export function readContacts(entities: readonly Entity[]) {
  const contacts: RegistrationRecord['contacts'] = {};
  const redactions: Redaction[] = [];
  const resellersLast = entities.toSorted(
    (a, b) => Number(a.isOfReseller) - Number(b.isOfReseller),
  );
  for (const { json, roles, isOfSeller, card } of resellersLast) {
    for (const role of roles.filter(isContactRole)) {
      if (contacts[role] !== undefined || (isOfSeller && !ROLES_OF_SELLER.has(role))) continue;
      for (const member of card.withheld) {
        redactions.push({ path: `contacts.${role}.${member}`, basis: 'text' });
      }
      const handle = textIn(json['handle']);
      const contact = { ...(handle === undefined ? {} : { handle }), ...contactOf(card) };
      if (Object.keys(contact).length > 0) contacts[role] = contact;
    }
  }
  return { contacts, redactions };
}

/**
 * Returns the contact of a card. The only name on the card of an organisation is the organisation's (RFC 6350 §6.1.4).
 */
function contactOf({ contact, isOrganization }: PublishedContact): Contact {
  const { name, ...others } = contact;
  const isOnlyName = name !== undefined && contact.organization === undefined;
  return isOrganization && isOnlyName ? { ...others, organization: name } : contact;
}
