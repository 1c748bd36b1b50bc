import { Type } from 'class-transformer';
import { IsOptional, IsString, ValidateNested } from 'class-validator';
import { WhoisContact, WhoisRegistrar, WhoisReseller } from './whois-parties.js';

/** The data that a registry itself publishes about a registration. Unpublished members are left out. */
export class RegistrationFacts {
  /** `YYYY-MM-DD`, like the other two dates. */
  @IsOptional()
  @IsString()
  create_date?: string;

  @IsOptional()
  @IsString()
  update_date?: string;

  @IsOptional()
  @IsString()
  expiry_date?: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => WhoisRegistrar)
  domain_registrar?: WhoisRegistrar;

  @IsOptional()
  @IsString({ each: true })
  name_servers?: string[];

  /** EPP statuses in lower case. */
  @IsOptional()
  @IsString({ each: true })
  domain_status?: string[];
}

/** The published part of a registration, now or in the past. Unpublished members are left out. */
export class PublishedRegistration extends RegistrationFacts {
  @IsOptional()
  @ValidateNested()
  @Type(() => WhoisReseller)
  reseller_contact?: WhoisReseller;

  @IsOptional()
  @ValidateNested()
  @Type(() => WhoisContact)
  registrant_contact?: WhoisContact;

  @IsOptional()
  @ValidateNested()
  @Type(() => WhoisContact)
  administrative_contact?: WhoisContact;

  @IsOptional()
  @ValidateNested()
  @Type(() => WhoisContact)
  technical_contact?: WhoisContact;

  @IsOptional()
  @ValidateNested()
  @Type(() => WhoisContact)
  billing_contact?: WhoisContact;
}
