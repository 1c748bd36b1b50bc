import { IsOptional, IsString } from 'class-validator';

export class WhoisRegistrar {
  @IsOptional()
  @IsString()
  iana_id?: string;

  @IsOptional()
  @IsString()
  registrar_name?: string;

  @IsOptional()
  @IsString()
  whois_server?: string;

  /** Only in version 2. */
  @IsOptional()
  @IsString()
  rdap_server?: string;

  @IsOptional()
  @IsString()
  website_url?: string;

  @IsOptional()
  @IsString()
  email_address?: string;

  @IsOptional()
  @IsString()
  phone_number?: string;
}

/** A reseller; only version 2 has its `handle`. */
export class WhoisReseller {
  @IsOptional()
  @IsString()
  handle?: string;

  @IsOptional()
  @IsString()
  name?: string;

  @IsOptional()
  @IsString()
  email_address?: string;

  @IsOptional()
  @IsString()
  phone?: string;
}

export class WhoisContact {
  /** Only in version 2. */
  @IsOptional()
  @IsString()
  handle?: string;

  @IsOptional()
  @IsString()
  name?: string;

  @IsOptional()
  @IsString()
  company?: string;

  @IsOptional()
  @IsString()
  street?: string;

  @IsOptional()
  @IsString()
  city?: string;

  @IsOptional()
  @IsString()
  state?: string;

  @IsOptional()
  @IsString()
  zip_code?: string;

  @IsOptional()
  @IsString()
  country_name?: string;

  @IsOptional()
  @IsString()
  country_code?: string;

  @IsOptional()
  @IsString()
  email_address?: string;

  @IsOptional()
  @IsString()
  phone?: string;

  @IsOptional()
  @IsString()
  fax?: string;

  @IsOptional()
  @IsString()
  mailing_address?: string;
}
