import { IsOptional, IsString } from 'class-validator';
import { Setting } from '#libs/platform';

const NAMES = [
  'BASE_URL',
  'BILLING_URL',
  'GATEWAY_TRUSTED_PROXIES',
  'DASHBOARD_TRUSTED_PROXIES',
  'SMTP_URL',
  'MAIL_FROM',
  'INVOICE_SELLER_NAME',
  'INVOICE_SELLER_ADDRESS',
  'STRIPE_API_KEY',
  'STRIPE_API_URL',
  'BILLING_PAYPAL_CLIENT_ID',
  'BILLING_PAYPAL_CLIENT_SECRET',
  'BILLING_PAYPAL_API_URL',
  'DATABASE_ADMIN_URL',
] as const;

export type ProductionSettings = Partial<Record<(typeof NAMES)[number], string>>;

class Settings {}
for (const env of NAMES) {
  const setting = Setting({ env, about: 'The same setting as in its service.', secret: true });
  for (const decorate of [setting, IsOptional(), IsString()]) decorate(Settings.prototype, env);
}

export const ProductionConfig: new () => ProductionSettings = Settings;
