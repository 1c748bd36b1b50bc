import { IsOptional, IsString, IsUrl, MinLength, ValidateIf } from 'class-validator';
import { DatabaseConfig, DatabaseUrl } from '#libs/database';
import { MAIL_FROM_DEFAULT, MailFrom, SmtpUrl } from '#libs/mail';
import { PortSetting, Setting } from '#libs/platform';

const URL_RULES = { require_tld: false, require_protocol: true } as const;

/** Settings of the account service. */
export class AccountConfig extends DatabaseConfig {
  @Setting({ env: 'ACCOUNT_HOST', about: 'Address of the internal listener.' })
  @IsString()
  host: string = '127.0.0.1';

  @PortSetting({ env: 'ACCOUNT_PORT', about: 'Port of the internal listener; 0 takes a free one.' })
  port: number = 0;

  @DatabaseUrl('ACCOUNT_DATABASE_URL', 'account')
  databaseUrl: string;

  @DatabaseUrl('ACCOUNT_MAINTENANCE_DATABASE_URL', 'account_maintenance')
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
    about: 'Encrypts the data key of each account. If it is lost, all personal data is lost.',
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

  @MailFrom()
  mailFrom: string = MAIL_FROM_DEFAULT;

  @SmtpUrl()
  smtpUrl?: string;

  @Setting({
    env: 'GOOGLE_CLIENT_ID',
    about:
      'OAuth client of Google. Unset: nobody logs in with Google. Its return address is BILLING_URL/log-in/google/return.',
  })
  @ValidateIf(({ googleClientSecret }) => Boolean(googleClientSecret))
  @IsString({ message: 'must be given with GOOGLE_CLIENT_SECRET' })
  googleClientId?: string;

  @Setting({
    env: 'GOOGLE_CLIENT_SECRET',
    about: 'Secret of that client.',
    secret: true,
    mayBeMissing: true,
  })
  @ValidateIf(({ googleClientId }) => Boolean(googleClientId))
  @IsString({ message: 'must be given with GOOGLE_CLIENT_ID' })
  @MinLength(8)
  googleClientSecret?: string;

  @Setting({ env: 'GOOGLE_ISSUER', about: 'Issuer of OpenID Connect; a simulator elsewhere.' })
  @IsUrl(URL_RULES)
  googleIssuer: string = 'https://accounts.google.com';

  @Setting({
    env: 'GITHUB_CLIENT_ID',
    about:
      'OAuth app of GitHub. Unset: nobody logs in with GitHub. Its return address is BILLING_URL/log-in/github/return.',
  })
  @ValidateIf(({ githubClientSecret }) => Boolean(githubClientSecret))
  @IsString({ message: 'must be given with GITHUB_CLIENT_SECRET' })
  githubClientId?: string;

  @Setting({
    env: 'GITHUB_CLIENT_SECRET',
    about: 'Secret of that app.',
    secret: true,
    mayBeMissing: true,
  })
  @ValidateIf(({ githubClientId }) => Boolean(githubClientId))
  @IsString({ message: 'must be given with GITHUB_CLIENT_ID' })
  @MinLength(8)
  githubClientSecret?: string;

  @Setting({ env: 'GITHUB_URL', about: 'Where GitHub asks its users; a simulator elsewhere.' })
  @IsUrl(URL_RULES)
  githubUrl: string = 'https://github.com';

  @Setting({ env: 'GITHUB_API_URL', about: 'Where GitHub’s API is; a simulator elsewhere.' })
  @IsUrl(URL_RULES)
  githubApiUrl: string = 'https://api.github.com';
}
