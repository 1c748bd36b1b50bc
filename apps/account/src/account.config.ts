import { IsInt, IsOptional, IsString, IsUrl, Max, Min, MinLength } from 'class-validator';
import { ServiceSecretConfig, Setting } from '#libs/platform';

const URL_RULES = { require_tld: false, require_protocol: true } as const;

/** Settings of the account service. */
export class AccountConfig extends ServiceSecretConfig {
  @Setting({ env: 'ACCOUNT_HOST', about: 'Address the internal listener binds to.' })
  @IsString()
  host: string = '127.0.0.1';

  @Setting({ env: 'ACCOUNT_PORT', about: 'Port of the internal listener; 0 takes a free one.' })
  @IsInt()
  @Min(0)
  @Max(65_535)
  port: number = 0;

  @Setting({
    env: 'ACCOUNT_DATABASE_URL',
    about: 'PostgreSQL as the role "account".',
    secret: true,
  })
  @IsString()
  @MinLength(1)
  databaseUrl: string;

  @Setting({
    env: 'ACCOUNT_MAINTENANCE_DATABASE_URL',
    about: 'PostgreSQL as the role "account_maintenance".',
    secret: true,
  })
  @IsString()
  @MinLength(1)
  maintenanceDatabaseUrl: string;

  @Setting({
    env: 'KEY_PEPPER',
    about: 'Mixed into the stored hash of API keys; the same for account and gateway.',
    secret: true,
    generated: true,
  })
  @IsString()
  @MinLength(32)
  keyPepper: string;

  @Setting({
    env: 'ADDRESS_PEPPER',
    about: 'Mixed into the hashes of e-mail addresses. Changing it locks everyone out.',
    secret: true,
    generated: true,
  })
  @IsString()
  @MinLength(32)
  addressPepper: string;

  @Setting({
    env: 'PERSONAL_DATA_SECRET',
    about: 'Wraps the data key of each account. Losing it loses all personal data.',
    secret: true,
    generated: true,
  })
  @IsString()
  @MinLength(32)
  personalDataSecret: string;

  @Setting({
    env: 'AUDIT_ANCHOR_SECRET',
    about:
      'Signs the daily anchors of the audit log. With another one, earlier anchors are refused.',
    secret: true,
    generated: true,
  })
  @IsString()
  @MinLength(32)
  auditAnchorSecret: string;

  @Setting({
    env: 'AUDIT_ANCHORS',
    about:
      'File that the daily anchors are appended to, on a disk that the database’s owner cannot write to. Unset: they are log lines alone.',
  })
  @IsOptional()
  @IsString()
  auditAnchorsPath?: string;

  @Setting({ env: 'BILLING_URL', about: 'Origin of the dashboard; links in mails lead there.' })
  @IsUrl(URL_RULES)
  dashboardUrl: string = 'http://localhost:8081';

  @Setting({ env: 'MAIL_FROM', about: 'Sender of every mail, `Name <address>`.' })
  @IsString()
  mailFrom: string = 'Domain Data Service <no-reply@localhost.localdomain>';

  @Setting({
    env: 'SMTP_URL',
    about:
      'Where mail is handed over, `smtp://user:password@host:port` or `smtps://…`. Unset: a local mailbox.',
    secret: true,
  })
  @IsOptional()
  @IsUrl({ require_tld: false, protocols: ['smtp', 'smtps'], require_protocol: true })
  smtpUrl?: string;
}
