import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

export interface Said {
  type?: string;
  challenge?: string;
  origin?: string;
  rpId?: string;
  flags?: number;
  userHandle?: string;
  attestation?: [format: string, statement: Map<string, Uint8Array | Uint8Array[] | number>];
}

interface Options {
  challenge: string;
  user?: { id: string };
}

const [PRESENT, VERIFIED, NEW_KEY] = [0x01, 0x04, 0x40];

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest();

/** An authenticator with one passkey, and its browser (WebAuthn Level 3, 6.1 and 6.5). */
export class SoftwarePasskey {
  readonly id = randomBytes(32);
  count = 0;
  private readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private userHandle: string | undefined;

  constructor(private readonly origin: string) {}

  make(options: Options, said: Said = {}): string {
    this.userHandle = options.user?.id;
    const { x, y } = this.keys.publicKey.export({ format: 'jwk' });
    const [keyX, keyY] = [x, y].map((value) => new Uint8Array(Buffer.from(value!, 'base64url')));
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, keyX],
      [-3, keyY],
    ]);
    const length = Buffer.of(0, this.id.length);
    const named = Buffer.concat([Buffer.alloc(16), length, this.id, isoCBOR.encode(key)]);
    const authData = this.authData({ flags: PRESENT | VERIFIED | NEW_KEY, ...said }, named);
    const [format, statement] = said.attestation ?? ['none', new Map()];
    const attestation = isoCBOR.encode(
      new Map<string, never>([
        ['fmt', format as never],
        ['attStmt', statement as never],
        ['authData', new Uint8Array(authData) as never],
      ]),
    );
    return this.answer({
      clientDataJSON: this.clientData('webauthn.create', options, said),
      attestationObject: Buffer.from(attestation),
    });
  }

  use(options: Options, said: Said = {}): string {
    const clientDataJSON = this.clientData('webauthn.get', options, said);
    const authenticatorData = this.authData({ flags: PRESENT | VERIFIED, ...said });
    const signed = Buffer.concat([authenticatorData, sha256(clientDataJSON)]);
    const signature = sign('sha256', signed, this.keys.privateKey);
    const userHandle = Buffer.from(said.userHandle ?? this.userHandle ?? '', 'base64url');
    return this.answer({ clientDataJSON, authenticatorData, signature, userHandle });
  }

  private clientData(type: string, { challenge }: Options, said: Said): Buffer {
    const { origin } = this;
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...said }));
  }

  private authData({ rpId, flags = 0 }: Said, more = Buffer.alloc(0)): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.count);
    const party = sha256(rpId ?? new URL(this.origin).hostname);
    return Buffer.concat([party, Buffer.of(flags), count, more]);
  }

  private answer(parts: Record<string, Buffer>): string {
    const texts = Object.entries(parts).map(([name, part]) => [name, part.toString('base64url')]);
    const id = this.id.toString('base64url');
    const response = Object.fromEntries(texts);
    return JSON.stringify({ id, rawId: id, type: 'public-key', response });
  }
}
