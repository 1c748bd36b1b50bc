import { applyDecorators } from '@nestjs/common';
import { IsString, ValidateBy } from 'class-validator';
import { Setting, isLoopbackHost } from '#libs/platform';

const LINES_MAX = 2;

/**
 * Declares a setting with the PostgreSQL URL of a role. @param what describes the role's rights, if the role's name
 * does not.
 */
export function DatabaseUrl(env: string, role: string, what?: string): PropertyDecorator {
  const about = `PostgreSQL as the role "${role}"${what ? `, ${what}` : ''}. During a password change: two URLs, one per line.`;
  return applyDecorators(
    Setting({ env, about, secret: true, isFollowed: true }),
    IsString(),
    IsDatabaseUrl(),
  );
}

/**
 * Requires one or two lines with a PostgreSQL URL each. A URL to another machine must verify its certificate or declare
 * the network private (S112).
 */
export function IsDatabaseUrl(): PropertyDecorator {
  return ValidateBy({
    name: 'isDatabaseUrl',
    validator: {
      validate: (value: unknown) => typeof value === 'string' && faultOf(value) === undefined,
      defaultMessage: (given) => `$property ${faultOf(String(given?.value ?? ''))}`,
    },
  });
}

/** Returns the fault of the text, without quoting the text, which may be secret; undefined if there is none. */
function faultOf(text: string): string | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  if (lines.length > LINES_MAX) return `must have ${LINES_MAX} lines at most`;
  if (!lines.every(isPostgresUrl))
    return 'must be a URL, postgres://role:password@host:port/database';
  return lines.every(isGuarded)
    ? undefined
    : 'must end with ?sslmode=verify-full for a server on another machine, or with ?sslmode=disable if the network between them is private';
}

function isPostgresUrl(line: string): boolean {
  return /^postgres(ql)?:\/\//.test(line) && URL.canParse(withHost(line));
}

/** Adds a host to a URL without one: `postgres://role@/database` leads to a socket of this machine. */
const withHost = (line: string) => line.replace('@/', '@localhost/');

function isGuarded(line: string): boolean {
  const { hostname, searchParams } = new URL(withHost(line));
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  // A host that is a path leads to a socket of this machine.
  if (host === '' || host.startsWith('/') || isLoopbackHost(host)) return true;
  return ['verify-full', 'disable'].includes(searchParams.get('sslmode') ?? '');
}
