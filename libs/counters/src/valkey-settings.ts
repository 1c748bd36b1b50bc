import { applyDecorators } from '@nestjs/common';
import { IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { Setting } from '#libs/platform';

/** Declares the setting `VALKEY_URL`. @param about describes the counts in it. */
export function ValkeyUrl(about: string): PropertyDecorator {
  const message = 'must begin with redis:// or rediss://';
  return applyDecorators(
    Setting({ env: 'VALKEY_URL', about, secret: true, isFollowed: true }),
    Matches(/^(rediss?:\/\/.+)?$/, { message }),
  );
}

export function ValkeyTlsCa(): PropertyDecorator {
  const about =
    "PEM of the authority that signed a rediss:// server's certificate. Unset: the authorities that Node trusts.";
  return applyDecorators(Setting({ env: 'VALKEY_TLS_CA', about }), IsOptional(), IsString());
}

/** Declares the setting `VALKEY_TIMEOUT_MS`. @param about the effect of the timeout. */
export function ValkeyTimeout(about: string): PropertyDecorator {
  return applyDecorators(Setting({ env: 'VALKEY_TIMEOUT_MS', about }), IsInt(), Min(1), Max(1_000));
}
