import { IsString, Length } from 'class-validator';

export class ResendReceiptRequest {
  @IsString()
  @Length(1, 40)
  number: string;
}
