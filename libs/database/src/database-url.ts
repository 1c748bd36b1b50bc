import { applyDecorators } from '@nestjs/common';
import { IsString, MinLength } from 'class-validator';
import { Setting } from '#libs/platform';

/** A setting that is the URL of PostgreSQL as a role. @param what the role may do, where its name does not say it. */
export function DatabaseUrl(env: string, role: string, what?: string): PropertyDecorator {
  const about = `PostgreSQL as the role "${role}"${what ? `, ${what}` : ''}.`;
  return applyDecorators(Setting({ env, about, secret: true }), IsString(), MinLength(1));
}
