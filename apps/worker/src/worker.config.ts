import { IsNumber, IsOptional, IsString, IsUrl, Max, Min } from 'class-validator';
import { DatabaseConfig, DatabaseUrl } from '#libs/database';
import { ContactAddress, MAIL_FROM_DEFAULT, MailFrom, SmtpUrl } from '#libs/mail';
import { PortSetting, Setting } from '#libs/platform';

const URL_RULES = { require_tld: false, require_protocol: true } as const;

export class WorkerConfig extends DatabaseConfig {
  @Setting({ env: 'WORKER_HOST', about: 'Address of the internal listener.' })
  @IsString()
  host: string = '127.0.0.1';

  @PortSetting({
    env: 'WORKER_PORT',
    about: 'Port of the internal listener; 0 selects a free port.',
  })
  port: number = 0;

  @DatabaseUrl('WORKER_DATABASE_URL', 'worker')
  databaseUrl: string;

  @DatabaseUrl('WORKER_MAINTENANCE_DATABASE_URL', 'worker_maintenance')
  maintenanceDatabaseUrl: string;

  @Setting({ env: 'ACCOUNT_URL', about: "Origin of account's internal listener." })
  @IsUrl(URL_RULES)
  accountUrl: string;

  @Setting({ env: 'ENTITLEMENT_URL', about: "Origin of entitlement's internal listener." })
  @IsUrl(URL_RULES)
  entitlementUrl: string;

  @Setting({ env: 'CORPUS_URL', about: "Origin of corpus's internal listener." })
  @IsUrl(URL_RULES)
  corpusUrl: string;

  @Setting({ env: 'LOOKUP_URL', about: "Origin of lookup's internal listener." })
  @IsUrl(URL_RULES)
  lookupUrl: string;

  @Setting({
    env: 'LOOKUP_REGISTRIES_FILE',
    about:
      'Registry tables that replace the tables of this version, as written by `npm run cli -- tlds refresh`. Set it for lookup and for the worker, whose jobs look up names without an upstream in these tables free of charge. Read at startup.',
  })
  @IsOptional()
  @IsString()
  registriesFile?: string;

  @Setting({
    env: 'LOOKUP_UPSTREAM_PER_SECOND',
    about:
      'Queries per second to each registry or registrar that publishes no limit. Unset: 10 to a few large registries, 1 to all others. Set it for lookup and for the worker, which estimates from it how long jobs take.',
  })
  @IsOptional()
  @IsNumber()
  @Min(0.01)
  @Max(10_000)
  upstreamPerSecond?: number;

  @Setting({
    env: 'BILLING_URL',
    about: 'Origin of the dashboard, to which links in e-mails lead.',
  })
  @IsUrl(URL_RULES)
  dashboardUrl: string = 'http://localhost:8081';

  @Setting({
    env: 'WORKER_WEBHOOK_EXCEPTIONS',
    about:
      'Webhook hosts with a fixed address, as host:443=address:port, separated by commas. They are not required to have a public address. For tests and closed networks; docs/webhooks.md has an example.',
  })
  @IsString()
  webhookExceptions: string = '';

  @Setting({
    env: 'WORKER_EXTRA_CA_FILE',
    about:
      'PEM file of certificate authorities that webhooks may use in addition to the public ones.',
  })
  @IsOptional()
  @IsString()
  extraCaFile?: string;

  @MailFrom()
  mailFrom: string = MAIL_FROM_DEFAULT;

  @ContactAddress()
  contactAddress?: string;

  @SmtpUrl()
  smtpUrl?: string;
}
