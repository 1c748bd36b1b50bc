import { IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { Setting } from '../config.js';
import { SERVICE_SECRET_FORM } from './service-secret.js';

/** Validates a setting in the form of `SERVICE_SECRET_FORM`. */
export const IsServiceSecret = () =>
  Matches(SERVICE_SECRET_FORM, {
    message:
      '$property must have at least 32 characters on each of at most two lines, or be the lines that `cli secrets` created for this service',
  });

/**
 * The settings for calls between services, and for the identity of a service in these calls; every service's config
 * class extends this class.
 */
export class InternalCallsConfig {
  @Setting({
    env: 'SERVICE_SECRET',
    about:
      'Signs the tokens between services: one secret for the whole installation (plus a second line during a rotation), or the lines that `cli secrets` creates for this service.',
    secret: true,
    generated: true,
  })
  @IsServiceSecret()
  serviceSecret: string;

  @Setting({
    env: 'SERVICE_SECRET_FILE',
    about: 'File of SERVICE_SECRET; read again whenever it changes.',
  })
  @IsOptional()
  @IsString()
  serviceSecretFile?: string;

  @Setting({
    env: 'INTERNAL_TLS_FOLDER',
    about:
      'Folder with ca.crt, tls.crt and tls.key, read again when they change. If it is set, calls between services use mutual TLS. The certificate must name the service, such as account, and the URLs of services must start with https://.',
  })
  @IsOptional()
  @IsString()
  internalTlsFolder?: string;

  @Setting({
    env: 'PROBE_PORT',
    about:
      'Port that serves only /health, /ready and /metrics, without TLS, to clients without a certificate. Unset: only the internal listener serves them.',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(65_535)
  probePort?: number;
}
