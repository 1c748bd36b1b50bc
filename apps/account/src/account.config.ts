import { IsBoolean, IsOptional, IsString, IsUrl, MinLength, ValidateIf } from 'class-validator';
import { DatabaseConfig, DatabaseUrl } from '#libs/database';
import { ContactAddress, MAIL_FROM_DEFAULT, MailFrom, SmtpUrl } from '#libs/mail';
import { PortSetting, Setting } from '#libs/platform';

const URL_RULES = { require_tld: false, require_protocol: true } as const;

export class AccountConfig extends DatabaseConfig {
  @Setting({ env: 'ACCOUNT_HOST', about: 'Address of the internal listener.' })
  @IsString()
  host: string = '127.0.0.1';

  @PortSetting({
    env: 'ACCOUNT_PORT',
    about: 'Port of the internal listener; 0 selects a free port.',
  })
  port: number = 0;

  @DatabaseUrl('ACCOUNT_DATABASE_URL', 'account')
  databaseUrl: string;

  @DatabaseUrl('ACCOUNT_MAINTENANCE_DATABASE_URL', 'account_maintenance')
  maintenanceDatabaseUrl: string;

  @Setting({
    env: 'KEY_PEPPER',
    about: 'Mixed into the stored hashes of API keys. Account and gateway need the same value.',
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
    about: 'Signs the daily anchors of the audit log. If it changes, earlier anchors are rejected.',
    secret: true,
    generated: true,
  })
  @IsString()
  @MinLength(32)
  auditAnchorSecret: string;

  @Setting({
    env: 'AUDIT_ANCHORS',
    about:
      'File to which the daily anchors are appended, on a disk that the database’s owner cannot write to. Unset: anchors are only logged.',
  })
  @IsOptional()
  @IsString()
  auditAnchorsPath?: string;

  @Setting({
    env: 'ERASED_ACCOUNTS',
    about:
      'File to which the ids of erased accounts are appended, on a disk that all processes of account share. At each start, these accounts are erased again if the database, restored from a backup, contains their data. Unset: there is no such list.',
  })
  @IsOptional()
  @IsString()
  erasedAccountsPath?: string;

  @Setting({
    env: 'BILLING_URL',
    about: 'Origin of the dashboard, to which links in e-mails lead.',
  })
  @IsUrl(URL_RULES)
  dashboardUrl: string = 'http://localhost:8081';

  @MailFrom()
  mailFrom: string = MAIL_FROM_DEFAULT;

  @ContactAddress()
  contactAddress?: string;

  @SmtpUrl()
  smtpUrl?: string;

  @Setting({
    env: 'GOOGLE_CLIENT_ID',
    about:
      'OAuth client at Google. Unset: log-in with Google is off. Its redirect URI is BILLING_URL/log-in/google/return.',
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

  @Setting({ env: 'GOOGLE_ISSUER', about: 'URL of the OpenID Connect issuer, or of a simulator.' })
  @IsUrl(URL_RULES)
  googleIssuer: string = 'https://accounts.google.com';

  @Setting({
    env: 'GITHUB_CLIENT_ID',
    about:
      'OAuth app at GitHub. Unset: log-in with GitHub is off. Its callback URL is BILLING_URL/log-in/github/return.',
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

  @Setting({ env: 'GITHUB_URL', about: 'URL of GitHub’s authorization pages, or of a simulator.' })
  @IsUrl(URL_RULES)
  githubUrl: string = 'https://github.com';

  @Setting({ env: 'GITHUB_API_URL', about: 'URL of GitHub’s API, or of a simulator.' })
  @IsUrl(URL_RULES)
  githubApiUrl: string = 'https://api.github.com';

  @Setting({
    env: 'SECRET_SCANNING',
    about:
      'Whether reports of GitHub’s secret scanning are accepted at BILLING_URL/secret-scanning: published API keys are revoked, and their owners get an e-mail.',
  })
  @IsBoolean()
  takesLeakReports: boolean = false;
}
