import { IsOptional } from 'class-validator';
import { Nested, OptionalText } from '../../members.js';
import { WhoisContact, WhoisRegistrar, WhoisReseller } from './whois-parties.js';

/** The data that a registry itself publishes about a registration. Unpublished members are left out. */
export class RegistrationFacts {
  /** `YYYY-MM-DD`, like the other two dates. */
  @OptionalText()
  create_date?: string;

  @OptionalText()
  update_date?: string;

  @OptionalText()
  expiry_date?: string;

  @IsOptional()
  @Nested(() => WhoisRegistrar)
  domain_registrar?: WhoisRegistrar;

  @OptionalText({ each: true })
  name_servers?: string[];

  /** EPP statuses in lower case. */
  @OptionalText({ each: true })
  domain_status?: string[];
}

/** The published part of a registration, now or in the past. Unpublished members are left out. */
export class PublishedRegistration extends RegistrationFacts {
  @IsOptional()
  @Nested(() => WhoisReseller)
  reseller_contact?: WhoisReseller;

  @IsOptional()
  @Nested(() => WhoisContact)
  registrant_contact?: WhoisContact;

  @IsOptional()
  @Nested(() => WhoisContact)
  administrative_contact?: WhoisContact;

  @IsOptional()
  @Nested(() => WhoisContact)
  technical_contact?: WhoisContact;

  @IsOptional()
  @Nested(() => WhoisContact)
  billing_contact?: WhoisContact;
}
