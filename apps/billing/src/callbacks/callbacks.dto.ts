import { IsString, Length } from 'class-validator';

export class ReplayRequest {
  @IsString()
  @Length(1, 200)
  callbackId: string;
}
