import { IsString, Length } from 'class-validator';

export class ReplayRequest {
  /** The callback's id here or at the processor. */
  @IsString()
  @Length(1, 200)
  callbackId: string;
}
