import {
  ArrayMaxSize,
  ArrayMinSize,
  IsInt,
  IsString,
  IsUrl,
  Max,
  Min,
  MinLength,
} from 'class-validator';
import { ServiceSecretConfig, Setting } from '#libs/platform';

const URL_RULES = { require_tld: false, require_protocol: true } as const;

/** Settings of the billing service. */
export class BillingConfig extends ServiceSecretConfig {
  @Setting({ env: 'BILLING_HOST', about: 'Address the internal listener binds to.' })
  @IsString()
  host: string = '127.0.0.1';

  @Setting({ env: 'BILLING_PORT', about: 'Port of the internal listener; 0 takes a free one.' })
  @IsInt()
  @Min(0)
  @Max(65_535)
  port: number = 0;

  @Setting({
    env: 'BILLING_DATABASE_URL',
    about: 'PostgreSQL as the role "billing".',
    secret: true,
  })
  @IsString()
  @MinLength(1)
  databaseUrl: string;

  @Setting({
    env: 'BILLING_MAINTENANCE_DATABASE_URL',
    about: 'PostgreSQL as the role "billing_maintenance".',
    secret: true,
  })
  @IsString()
  @MinLength(1)
  maintenanceDatabaseUrl: string;

  @Setting({
    env: 'BILLING_URL',
    about: 'Origin of the dashboard; customers come back to it from a processor.',
  })
  @IsUrl(URL_RULES)
  dashboardUrl: string = 'http://localhost:8081';

  @Setting({
    env: 'STRIPE_API_KEY',
    about: 'Secret key of the Stripe account; a test key means test mode.',
    secret: true,
  })
  @IsString()
  @MinLength(1)
  stripeApiKey: string;

  @Setting({ env: 'STRIPE_API_URL', about: 'Where Stripe’s API is; a simulator elsewhere.' })
  @IsUrl(URL_RULES)
  stripeApiUrl: string = 'https://api.stripe.com';

  @Setting({
    env: 'STRIPE_CALLBACK_SECRETS',
    about: 'Signing secrets of the callback endpoint; two, the newer first, during a rotation.',
    secret: true,
  })
  @IsString({ each: true })
  @MinLength(8, { each: true })
  @ArrayMinSize(1)
  @ArrayMaxSize(2)
  stripeCallbackSecrets: string[] = [];
}
