import { IsString, Length } from 'class-validator';

export class FindAccountsRequest {
  @IsString()
  @Length(1, 320)
  text: string;
}
