import { IsOptional, IsString, IsUrl, MaxLength, MinLength } from 'class-validator';
import { IsServiceSecret, Setting } from '#libs/platform';

/**
 * The settings of operator commands. If settings that a command needs are missing, the command names them. A running
 * solo writes all settings to `operator.env` in its data folder.
 */
export class CliConfig {
  @Setting({
    env: 'DATA_DIR',
    about:
      'Data folder of the installation that npm start runs; commands use the settings of that installation.',
  })
  @IsString()
  dataFolder: string = '.data';

  @Setting({
    env: 'OPERATOR_NAME',
    about:
      'Name of the person who runs a command, for the audit log. Unset: the user name on the machine.',
  })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  operatorName?: string;

  @Setting({
    env: 'DATABASE_ROLE_SECRET',
    about: 'Secret from which the passwords of the database roles are derived.',
    secret: true,
  })
  @IsOptional()
  @IsString()
  @MinLength(32)
  databaseRoleSecret?: string;

  @Setting({ env: 'ACCOUNT_URL', about: 'Internal listener of account.' })
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true })
  accountUrl?: string;

  @Setting({ env: 'BILLING_INTERNAL_URL', about: 'Internal listener of billing.' })
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true })
  billingUrl?: string;

  @Setting({ env: 'CORPUS_URL', about: 'Internal listener of the corpus.' })
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true })
  corpusUrl?: string;

  @Setting({ env: 'ENTITLEMENT_URL', about: 'Internal listener of entitlement.' })
  @IsOptional()
  @IsUrl({ require_tld: false, require_protocol: true })
  entitlementUrl?: string;

  @Setting({
    env: 'SERVICE_SECRET',
    about:
      'Signs the tokens of calls to services: the secret of the installation, or the lines that `cli secrets` creates for the commands.',
    secret: true,
  })
  @IsOptional()
  @IsServiceSecret()
  serviceSecret?: string;

  @Setting({
    env: 'INTERNAL_TLS_FOLDER',
    about:
      'Folder with ca.crt, tls.crt and tls.key. If set, calls between services use TLS with certificates on both sides.',
  })
  @IsOptional()
  @IsString()
  internalTlsFolder?: string;
}
