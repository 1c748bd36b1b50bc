import { IsString, Length } from 'class-validator';

export class ReplayRequest {
  /** Our id or the processor's. */
  @IsString()
  @Length(1, 200)
  callbackId: string;
}
