import { IsOptional, IsUrl } from 'class-validator';
import { Setting } from '../config.js';
import { SERVICE_NAMES, type ServiceName } from './pair-secrets.js';

/** The services that call others but are never called. */
const CALLERS: readonly ServiceName[] = ['dashboard', 'cli'];
/** The service that only the dashboard calls. The dashboard declares it as needed. */
const READ: ServiceName = 'gateway';
const HTTP_URL = { require_tld: false, protocols: ['http', 'https'], require_protocol: true };

export type ServiceOrigins = Partial<Record<ServiceName, string>>;

/**
 * Returns the name of the setting with a service's internal origin: `CORPUS_URL`. (`BILLING_URL` is the public origin
 * of the dashboard.)
 */
export function urlSettingOf(name: ServiceName): string {
  return name === 'billing' ? 'BILLING_INTERNAL_URL' : `${name.toUpperCase()}_URL`;
}

/**
 * Declares on a config class the origins of all services that own data: `accountUrl`, `corpusUrl`; for billing,
 * `billingInternalUrl`.
 * @param needed the services that this one cannot do without; an installation may lack the others.
 */
export function ServiceUrls(...needed: readonly ServiceName[]): ClassDecorator {
  return ({ prototype }) => {
    const owners = SERVICE_NAMES.filter((one) => !CALLERS.includes(one) && one !== READ);
    for (const name of new Set([...owners, ...needed])) {
      const isNeeded = needed.includes(name);
      const about = `Origin of ${name}'s internal listener${isNeeded ? '' : ', if the installation has this service'}.`;
      const property = propertyOf(name);
      Setting({ env: urlSettingOf(name), about })(prototype as object, property);
      if (!isNeeded) IsOptional()(prototype as object, property);
      IsUrl(HTTP_URL)(prototype as object, property);
    }
  };
}

/** Returns the origins in a config of a class with `ServiceUrls`. */
export function serviceOrigins(config: object): ServiceOrigins {
  const given = SERVICE_NAMES.map((name) => [name, Reflect.get(config, propertyOf(name))] as const);
  const origins = given.filter(
    (entry): entry is [ServiceName, string] =>
      !CALLERS.includes(entry[0]) && typeof entry[1] === 'string',
  );
  return Object.fromEntries(origins);
}

function propertyOf(name: ServiceName): string {
  return name === 'billing' ? 'billingInternalUrl' : `${name}Url`;
}
