import { applyDecorators } from '@nestjs/common';
import {
  ArrayNotEmpty,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  Matches,
  Max,
  Min,
} from 'class-validator';
import { IsAddressBlock } from '#libs/domain-names';
import { Nested, NestedList, NullableText, OptionalText } from '../../members.js';
import type { KeyEnvironment } from '../../api-key.js';
import { SCOPES, type Scope } from '../access.js';
import { IsLine, IsListOfDifferent, MayBeAbsent } from '../account/text-rules.js';
import { IsNullable } from '../../nullable.js';
import { Paging } from '../paging/paging-answer.js';

const ADDRESSES_MAX = 50;
const CREDIT_CAP_MAX = 1_000_000_000;

/** `replaced`: the key still works until the overlap after its rotation ends. */
export const KEY_STATES = ['active', 'replaced', 'expired', 'revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

export const REVOCATION_CAUSES = ['owner', 'rotation', 'expiry', 'deletion', 'leak'] as const;
export type RevocationCause = (typeof REVOCATION_CAUSES)[number];

/** How long the old key works alongside the new key. */
export const OVERLAPS = ['now', '1h', '24h', '7d'] as const;
export type Overlap = (typeof OVERLAPS)[number];

const DAY_OR_MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** Declares an expiry, with a zone: a time without one would depend on the server's zone. A day alone begins in UTC. */
const IsExpiry = () =>
  applyDecorators(
    IsOptional(),
    IsISO8601({ strict: true, strictSeparator: true }),
    Matches(DAY_OR_MOMENT, { message: 'must be a time such as 2027-01-31T12:00:00Z' }),
  );

class KeySettingsRequest {
  @MayBeAbsent()
  @IsListOfDifferent(SCOPES.length, ArrayNotEmpty(), IsIn(SCOPES, { each: true }))
  scopes?: Scope[];

  /** Addresses or CIDR blocks; an empty list allows every address. */
  @MayBeAbsent()
  @IsListOfDifferent(ADDRESSES_MAX, IsAddressBlock({ each: true }))
  allowed_addresses?: string[];

  /** Credits per UTC day; null removes the cap. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(CREDIT_CAP_MAX)
  daily_credit_cap?: number | null;

  /** RFC 3339, in the future; with null, the key works until it is revoked. */
  @IsExpiry()
  expires_at?: string | null;
}

/** By default, a new key has every scope except `keys:write`; a key that creates another passes on its own settings. */
export class CreateKeyRequest extends KeySettingsRequest {
  @IsLine(100)
  name: string;

  @IsIn(['live', 'test'])
  environment: KeyEnvironment;
}

export class UpdateKeyRequest extends KeySettingsRequest {
  @MayBeAbsent()
  @IsLine(100)
  name?: string;
}

export class RotateKeyRequest {
  @IsIn(OVERLAPS)
  overlap: Overlap;

  /**
   * When the new key expires, RFC 3339; null for never. By default, the new key expires when the old key would have
   * expired.
   */
  @IsExpiry()
  expires_at?: string | null;
}

export class ReissueKeyRequest {
  /**
   * When the new key expires, RFC 3339; null for never. The default is the same as for a rotation; required if the old
   * key has expired.
   */
  @IsExpiry()
  expires_at?: string | null;
}

export class KeyAnswer {
  @IsString()
  id: string;

  @IsString()
  name: string;

  @IsIn(['live', 'test'])
  environment: KeyEnvironment;

  /** `dds_live_…a1b2`; the key itself is shown only once, at its creation (S5). */
  @IsString()
  masked: string;

  @IsIn(KEY_STATES)
  state: KeyState;

  @IsIn(SCOPES, { each: true })
  scopes: Scope[];

  @IsString({ each: true })
  allowed_addresses: string[];

  @IsNullable()
  @IsInt()
  daily_credit_cap: number | null;

  @IsString()
  created_at: string;

  @NullableText()
  expires_at: string | null;

  @NullableText()
  last_used_at: string | null;

  /** The id of the key that replaced this key by rotation or reissue; null if none did. */
  @NullableText()
  replaced_by: string | null;

  @IsNullable()
  @IsIn(REVOCATION_CAUSES)
  revoked_because: RevocationCause | null;

  /**
   * The key's rank by age among the account's live keys, from 1; null for a key that does not count (a test key, or a
   * key that ended or was replaced). Keys beyond the plan's number are paused: `key_paused`.
   */
  @IsNullable()
  @IsInt()
  rank: number | null;
}

export class KeysAnswer {
  @NestedList(() => KeyAnswer)
  keys: KeyAnswer[];

  @Nested(() => Paging)
  paging: Paging;
}

/** A new key. `key` is shown only once: a repeated call gets the answer without it. */
export class IssuedKeyAnswer extends KeyAnswer {
  @OptionalText()
  key?: string;
}

export class AccountKeyAnswer extends KeyAnswer {
  @IsBoolean()
  status: boolean;
}

export class AccountKeysAnswer extends KeysAnswer {
  @IsBoolean()
  status: boolean;
}

export class IssuedAccountKeyAnswer extends IssuedKeyAnswer {
  @IsBoolean()
  status: boolean;
}
