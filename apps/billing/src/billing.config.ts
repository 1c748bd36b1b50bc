import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsInt,
  IsOptional,
  IsString,
  IsUrl,
  Length,
  Matches,
  Max,
  Min,
  MinLength,
  ValidateIf,
} from 'class-validator';
import { DatabaseConfig, DatabaseUrl } from '#libs/database';
import { ContactAddress, MAIL_FROM_DEFAULT, MailFrom, SmtpUrl } from '#libs/mail';
import { PortSetting, Setting } from '#libs/platform';
import { TAX_RATE } from './tax/tax-rates.js';

const URL_RULES = { require_tld: false, require_protocol: true } as const;
const hasStripe = ({ stripeApiKey }: BillingConfig) => Boolean(stripeApiKey);
const hasPaypal = ({ paypalClientId }: BillingConfig) => Boolean(paypalClientId);

export class BillingConfig extends DatabaseConfig {
  @Setting({ env: 'BILLING_HOST', about: 'Address of the internal listener.' })
  @IsString()
  host: string = '127.0.0.1';

  @PortSetting({
    env: 'BILLING_PORT',
    about: 'Port of the internal listener; 0 selects a free port.',
  })
  port: number = 0;

  @DatabaseUrl('BILLING_DATABASE_URL', 'billing')
  databaseUrl: string;

  @DatabaseUrl('BILLING_MAINTENANCE_DATABASE_URL', 'billing_maintenance')
  maintenanceDatabaseUrl: string;

  @DatabaseUrl(
    'BILLING_AUDITOR_DATABASE_URL',
    'billing_auditor',
    'which can read everything and write nothing',
  )
  auditorDatabaseUrl: string;

  @Setting({ env: 'ACCOUNT_URL', about: "Origin of account's internal listener." })
  @IsUrl(URL_RULES)
  accountUrl: string;

  @Setting({ env: 'ENTITLEMENT_URL', about: "Origin of entitlement's internal listener." })
  @IsUrl(URL_RULES)
  entitlementUrl: string;

  @Setting({
    env: 'BILLING_URL',
    about: 'Origin of the dashboard, to which customers return from a processor.',
  })
  @IsUrl(URL_RULES)
  dashboardUrl: string = 'http://localhost:8081';

  @Setting({
    env: 'STRIPE_API_KEY',
    about:
      'Restricted key of the Stripe account, `rk_live_…`; a test key, `rk_test_…` or `sk_test_…`, selects test mode. A changed key file cannot change the mode. Unset: Stripe is not offered. At least one processor must be set.',
    secret: true,
    isFollowed: true,
    mayBeMissing: true,
  })
  @ValidateIf((config) => hasStripe(config) || !hasPaypal(config))
  @IsString({ message: 'must be given, unless BILLING_PAYPAL_CLIENT_ID is' })
  @Matches(/^(?!sk_live_)/, {
    message: 'must be a restricted key (rk_live_…): a secret key may do anything to the account',
  })
  stripeApiKey?: string;

  @Setting({
    env: 'BILLING_PROCESSOR_CALLS_PER_SECOND',
    about:
      'Maximum number of calls per second from one billing process to a processor. Stripe allows 25 in test mode and 100 in live mode, of which 25 of each kind, for all processes together.',
  })
  @Min(1)
  @Max(1_000)
  processorCallsPerSecond: number = 80;

  @Setting({
    env: 'INVOICE_DATA_SECRET',
    about:
      'Encrypts the keys of the personal data on invoices. If it is lost, no stored PDF can be opened.',
    secret: true,
    generated: true,
  })
  @IsString()
  @MinLength(32)
  invoiceDataSecret: string;

  @Setting({
    env: 'INVOICE_YEARS_KEPT',
    about:
      'Number of years after the year of issue for which invoices are kept. After that, PDFs and buyer data become unreadable.',
  })
  @IsInt()
  @Min(1)
  @Max(50)
  invoiceYearsKept: number = 10;

  @Setting({
    env: 'INVOICE_SERIES',
    about:
      'One to three capital letters that begin new series of numbers for invoices and notes: with `B`, INV-2026B-000001. Set or change them after restoring a backup, because numbers given since then would be given again. Unset: INV-2026-000001.',
  })
  @Matches(/^[A-Z]{0,3}$/, { message: 'must be one to three capital letters' })
  invoiceSeries: string = '';

  @Setting({ env: 'INVOICE_SELLER_NAME', about: 'Name of the seller on invoices.' })
  @IsString()
  @Length(1, 150)
  sellerName: string = 'Domain Data Service';

  @Setting({
    env: 'INVOICE_SELLER_ADDRESS',
    about: 'Lines of the seller’s address on invoices, comma-separated.',
  })
  @IsString({ each: true })
  @Length(1, 150, { each: true })
  @ArrayMaxSize(8)
  sellerAddress: string[] = [];

  @Setting({ env: 'INVOICE_SELLER_TAX_ID', about: 'The seller’s tax id on invoices.' })
  @IsOptional()
  @IsString()
  @Length(1, 30)
  sellerTaxId?: string;

  @Setting({
    env: 'BILLING_TAX_RATES',
    about:
      'Tax by the buyer’s country in percent, comma-separated: `DE=19`, or `FR=20/0` with another rate for buyers with a tax id. `DE=21@2027-01-01` applies from that day (UTC) on. Unset: prices are without tax.',
  })
  @Matches(TAX_RATE, { each: true, message: 'must be rates such as DE=19 or FR=20/0' })
  @ArrayUnique((rate: string) => rate.replace(/=[^@]*/, ''), {
    message: 'must name each country once, or once for each day',
  })
  @ArrayMaxSize(250)
  taxRates: string[] = [];

  @MailFrom()
  mailFrom: string = MAIL_FROM_DEFAULT;

  @ContactAddress()
  contactAddress?: string;

  @SmtpUrl()
  smtpUrl?: string;

  @Setting({ env: 'STRIPE_API_URL', about: 'URL of Stripe’s API, or of a simulator.' })
  @IsUrl(URL_RULES)
  stripeApiUrl: string = 'https://api.stripe.com';

  @Setting({
    env: 'STRIPE_CALLBACK_SECRETS',
    about:
      'Signing secrets of the callback endpoint; two, the newer first, during a rotation. Required with the key.',
    secret: true,
    isFollowed: true,
    mayBeMissing: true,
  })
  @ValidateIf(hasStripe)
  @IsString({ each: true })
  @MinLength(8, { each: true })
  @ArrayMinSize(1)
  @ArrayMaxSize(2)
  stripeCallbackSecrets: string[] = [];

  @Setting({
    env: 'BILLING_PAYPAL_CLIENT_ID',
    about: 'Client id of the PayPal app. Unset: PayPal is not offered.',
  })
  @IsOptional()
  @IsString()
  paypalClientId?: string;

  @Setting({
    env: 'BILLING_PAYPAL_CLIENT_SECRET',
    about: 'Secret of the PayPal app; required with its client id.',
    secret: true,
    isFollowed: true,
    mayBeMissing: true,
  })
  @ValidateIf(hasPaypal)
  @IsString()
  @MinLength(8)
  paypalClientSecret?: string;

  @Setting({
    env: 'BILLING_PAYPAL_WEBHOOK_IDS',
    about:
      'Ids of the callback endpoint at PayPal; two, the newer first, while it is being replaced. Required with the client id.',
  })
  @ValidateIf(hasPaypal)
  @Matches(/^[A-Za-z0-9]{8,50}$/, { each: true, message: 'must be ids of webhooks' })
  @ArrayMinSize(1)
  @ArrayMaxSize(2)
  paypalWebhookIds: string[] = [];

  @Setting({
    env: 'BILLING_PAYPAL_API_URL',
    about:
      'URL of PayPal’s API; `https://api-m.sandbox.paypal.com` for the sandbox, or a simulator.',
  })
  @IsUrl(URL_RULES)
  paypalApiUrl: string = 'https://api-m.paypal.com';

  @Setting({
    env: 'BILLING_PAYPAL_CALLBACK_CA',
    about:
      'PEM of the authority that issued the certificates for signing callbacks. Unset: the authorities that Node trusts.',
  })
  @IsOptional()
  @IsString()
  paypalCallbackCa?: string;
}
