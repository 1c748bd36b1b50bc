import { applyDecorators } from '@nestjs/common';
import { IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { Setting } from '#libs/platform';

export function ValkeyUrl(): PropertyDecorator {
  const about =
    "Valkey or Redis server in which several gateways count requests, and several processes of lookup share registries' limits and pauses: redis:// or rediss:// (TLS), including the password. Empty: each process counts in memory; there must be only one gateway, and one process of lookup per public address.";
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

export function ValkeyTimeout(): PropertyDecorator {
  const about =
    'Time limit for an answer from Valkey. After it, the process uses its own part of the limit.';
  return applyDecorators(Setting({ env: 'VALKEY_TIMEOUT_MS', about }), IsInt(), Min(1), Max(1_000));
}
