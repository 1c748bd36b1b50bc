import { IsBoolean, IsIn, IsOptional, IsString } from 'class-validator';

/** Registration data of a domain name. */
export class WhoisAnswer {
  @IsBoolean()
  status: boolean;

  /** A-label. */
  @IsString()
  domain_name: string;

  /** `YYYY-MM-DD HH:mm:ss`, UTC. */
  @IsString()
  query_time: string;

  @IsOptional()
  @IsString()
  whois_server?: string;

  @IsIn(['yes', 'no', 'restricted'])
  domain_registered: 'yes' | 'no' | 'restricted';
}
