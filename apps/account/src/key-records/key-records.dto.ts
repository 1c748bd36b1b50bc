import { ArrayMaxSize, IsArray, IsUUID, Matches } from 'class-validator';

export class KeyHashPath {
  @Matches(/^[0-9a-f]{64}$/, { message: 'hash must be 64 hexadecimal digits' })
  hash: string;
}

export class KeysUsedRequest {
  @IsArray()
  @ArrayMaxSize(1_000)
  @IsUUID(undefined, { each: true })
  keyIds: string[];
}
