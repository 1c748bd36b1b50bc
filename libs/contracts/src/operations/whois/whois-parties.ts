import { OptionalText } from '../../members.js';

export class WhoisRegistrar {
  @OptionalText()
  iana_id?: string;

  @OptionalText()
  registrar_name?: string;

  @OptionalText()
  whois_server?: string;

  /** Only in version 2. */
  @OptionalText()
  rdap_server?: string;

  @OptionalText()
  website_url?: string;

  @OptionalText()
  email_address?: string;

  @OptionalText()
  phone_number?: string;
}

/** A reseller; only version 2 has its `handle`. */
export class WhoisReseller {
  @OptionalText()
  handle?: string;

  @OptionalText()
  name?: string;

  @OptionalText()
  email_address?: string;

  @OptionalText()
  phone?: string;
}

export class WhoisContact {
  /** Only in version 2. */
  @OptionalText()
  handle?: string;

  @OptionalText()
  name?: string;

  @OptionalText()
  company?: string;

  @OptionalText()
  street?: string;

  @OptionalText()
  city?: string;

  @OptionalText()
  state?: string;

  @OptionalText()
  zip_code?: string;

  @OptionalText()
  country_name?: string;

  @OptionalText()
  country_code?: string;

  @OptionalText()
  email_address?: string;

  @OptionalText()
  phone?: string;

  @OptionalText()
  fax?: string;

  @OptionalText()
  mailing_address?: string;
}
