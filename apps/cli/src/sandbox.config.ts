import { IsOptional, IsString, IsUrl } from 'class-validator';
import { Setting } from '#libs/platform';

const URL_RULES = { require_tld: false, require_protocol: true } as const;

export class SandboxConfig {
  @Setting({
    env: 'STRIPE_API_KEY',
    about: 'A test key, `sk_test_…` or `rk_test_…`.',
    secret: true,
  })
  @IsOptional()
  @IsString()
  stripeApiKey?: string;

  @Setting({ env: 'STRIPE_API_URL', about: 'URL of Stripe’s API, or of a simulator.' })
  @IsUrl(URL_RULES)
  stripeApiUrl: string = 'https://api.stripe.com';

  @Setting({ env: 'BILLING_PAYPAL_CLIENT_ID', about: 'Client id of a sandbox app.' })
  @IsOptional()
  @IsString()
  paypalClientId?: string;

  @Setting({ env: 'BILLING_PAYPAL_CLIENT_SECRET', about: 'Secret of a sandbox app.', secret: true })
  @IsOptional()
  @IsString()
  paypalClientSecret?: string;

  @Setting({ env: 'BILLING_PAYPAL_API_URL', about: 'PayPal’s sandbox, or a simulator.' })
  @IsUrl(URL_RULES)
  paypalApiUrl: string = 'https://api-m.sandbox.paypal.com';

  @Setting({ env: 'BILLING_URL', about: 'Origin of the dashboard, to which callbacks are sent.' })
  @IsUrl(URL_RULES)
  dashboardUrl: string = 'http://localhost:8081';
}
