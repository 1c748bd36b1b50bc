/** What the fields of forms are called on pages, by the names under which their owners refuse them. */
const LABELS: Readonly<Record<string, string>> = {
  first_name: 'First name',
  email: 'E-mail',
  password: 'Password',
  current_password: 'Current password',
  token: 'The link',
  name: 'Name',
  environment: 'Kind',
  scopes: 'Scopes',
  daily_credit_cap: 'Credits a day at most',
  credits: 'Credits',
  sku: 'Plan',
  quantity: 'Quantity',
  processor: 'Payment method',
  organisation: 'Organisation',
  tax_id: 'Tax id',
  address_line1: 'Address',
  address_line2: 'Address, second line',
  postal_code: 'Postal code',
  city: 'City',
  region: 'Region',
  country: 'Country',
  url: 'Address',
  events: 'Events',
  purchase_order: 'Purchase order',
};

/** @param name of a field, or of a part of it such as `scopes.0`. */
export function labelOf(name: string): string {
  const [field] = name.split('.', 1);
  return LABELS[field] ?? name;
}
