import { applyDecorators } from '@nestjs/common';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';
import { type KeyEnvironment, SCOPES, type Scope } from '#libs/contracts';
import { IsAddressBlock } from '#libs/domain-names';
import type { ApiKey } from './key.entity.js';
import type { KeyState } from './key-state.js';

const NO_CONTROLS = /^\P{C}*$/u;
const ADDRESSES_MAX = 50;
const CREDIT_CAP_MAX = 1_000_000_000;

/** May be left out, but not null. */
const MayBeAbsent = () => ValidateIf((_, value) => value !== undefined);

const IsKeyName = () =>
  applyDecorators(
    IsString(),
    Length(1, 100),
    Matches(NO_CONTROLS, { message: 'name must not contain control characters' }),
  );

class KeySettingsRequest {
  @MayBeAbsent()
  @IsArray()
  @ArrayNotEmpty()
  @ArrayUnique()
  @IsIn(SCOPES, { each: true })
  scopes?: Scope[];

  /** Addresses or CIDR blocks; empty allows every address. */
  @MayBeAbsent()
  @IsArray()
  @ArrayMaxSize(ADDRESSES_MAX)
  @ArrayUnique()
  @IsAddressBlock({ each: true })
  allowed_addresses?: string[];

  /** Credits a UTC day; null lifts the cap. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(CREDIT_CAP_MAX)
  daily_credit_cap?: number | null;

  /** RFC 3339, in the future; null lets the key live until it is revoked. */
  @IsOptional()
  @IsISO8601({ strict: true, strictSeparator: true })
  expires_at?: string | null;
}

export class CreateKeyRequest extends KeySettingsRequest {
  @IsKeyName()
  name: string;

  @IsIn(['live', 'test'])
  environment: KeyEnvironment;
}

export class UpdateKeyRequest extends KeySettingsRequest {
  @MayBeAbsent()
  @IsKeyName()
  name?: string;
}

/** How long the old key works beside the new one. */
const OVERLAPS = ['now', '1h', '24h', '7d'] as const;

export class RotateKeyRequest {
  @IsIn(OVERLAPS)
  overlap: (typeof OVERLAPS)[number];

  /** When the new key ends, RFC 3339; null for never. Left out, it ends when the old one would have. */
  @IsOptional()
  @IsISO8601({ strict: true, strictSeparator: true })
  expires_at?: string | null;
}

export class ReissueKeyRequest {
  /** As for a rotation; must be given for a key whose time has run out. */
  @IsOptional()
  @IsISO8601({ strict: true, strictSeparator: true })
  expires_at?: string | null;
}

export class ListKeysQuery {
  @IsOptional()
  @IsString()
  @Length(1, 300)
  cursor?: string;
}

export interface KeyDescription {
  id: string;
  name: string;
  environment: KeyEnvironment;
  /** `dds_live_…a1b2`; the key itself is shown once, at its creation (S5). */
  masked: string;
  state: KeyState;
  scopes: Scope[];
  allowed_addresses: string[];
  daily_credit_cap: number | null;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  replaced_by: string | null;
  revoked_because: ApiKey['revokedBecause'];
}

export interface KeyResponse extends KeyDescription {
  /**
   * The key's place by age among the account's live keys, from 1; null for one that does not count (a test
   * key, one that ended or was replaced). Keys beyond the plan's number are paused: `key_paused`.
   */
  rank: number | null;
}

export interface KeyListResponse {
  keys: KeyResponse[];
  next_cursor?: string;
}

/** `key` is the only copy of the value there is; a repeated call gets the answer without it. */
export interface IssuedKeyResponse extends KeyResponse {
  key?: string;
}
