import { matchesAny } from './phrases.js';

/** Nobody registered the name, and nobody can just so. */
const RESTRICTED_PHRASES: Readonly<Record<'reserved' | 'premium' | 'blocked', readonly string[]>> =
  {
    premium: [
      'premium domain',
      'premium name',
      'is a premium',
      'platinum domain',
      'available as a premium',
      'status: premium',
    ],
    blocked: [
      'is blocked',
      'status: blocked',
      'dpml',
      'domains protected marks',
      'adultblock',
      'globalblock',
      'trademark block',
      'prohibited string',
      'status: prohibited',
      'status: forbidden',
      'name is forbidden',
      'cannot be registered',
      'can not be registered',
      "can't be registered",
      'not allowed to be registered',
      'not available for registration',
      'is not available for registration',
      'status: unavailable',
      'status: not allowed',
      'status: unassignable',
      'status: not available',
      'registration prohibited',
      'status: restricted',
      'name is banned',
      'status: banned',
      'name is prohibited',
      'domain is prohibited',
      'domain prohibited',
      'name is not allowed',
      'domain is not allowed',
      'not available to be registered',
      'not open for registration',
      'restricted from registration',
      'prohibited from registration',
      'this name is prohibited',
      'registration of this name is prohibited',
      'registration is restricted',
      'is prohibited$',
      'is prohibited.$',
      '^restricted name',
      '^restricted$',
      'state: blocked',
      'status: excluded',
      'status: withheld',
      'status: withdrawn',
      'status: invalid name',
    ],
    reserved: [
      '^reserved name',
      '^reserved by',
      '^reserved domain',
      '^reserved$',
      'is reserved',
      'has been reserved',
      'status: reserved',
      'status: registry reserved',
      'state: reserved',
      'reserved by',
      'reserved name',
      'reserved domain',
      'domain reserved',
      'registry reserved',
      'reserved for',
      'name is reserved.$',
      'usage is reserved',
      'name is restricted',
      'can not be registered online',
      'status: application pending',
      'application pending$',
      'registry-reserved',
      'registry reservation',
      ': reserved$',
      'application pending.$',
      'application is pending',
      'pending application',
      'name is withheld',
      'status: pending create',
      'status: pendingcreate',
      'status: reserved name',
      'status: registry-reserved',
      'status: locked by registry',
      'waiting release process',
      'release process',
    ],
  };

export type Restriction = keyof typeof RESTRICTED_PHRASES;

/** Words of copyright lines, in which everything is reserved. */
const SMALL_PRINT = [
  'rights reserved',
  'copyright',
  'all rights',
  'right reserved',
  'reserves',
  'rights',
];

/** Why a line in plain lower case says nobody can just so register the name. */
export function restrictionIn(line: string): Restriction | undefined {
  if (matchesAny(line, SMALL_PRINT)) return undefined;
  for (const restriction of ['premium', 'blocked', 'reserved'] as const) {
    if (matchesAny(line, RESTRICTED_PHRASES[restriction])) return restriction;
  }
  return undefined;
}
