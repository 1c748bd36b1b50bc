import {
  type KeyObject,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  sign,
  verify,
} from 'node:crypto';

/** The signed heads of all chains at one time. A copy outside the database reveals a rewritten chain. */
export interface SignedAnchor {
  /** The number of the anchor, from 1 and without gaps, in decimal. */
  number: string;
  /** The hash over the heads and the previous anchor, in hex. */
  hash: string;
  /** The time of the anchor, in RFC 3339. */
  takenAt: string;
  /** The Ed25519 signature (RFC 8032), in base64. */
  signature: string;
}

/** The DER bytes that precede the 32 bytes of an Ed25519 private key (RFC 8410 §7). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Signs anchors with a separate key that is not in the database. */
export class AuditSeal {
  private readonly key: KeyObject;

  constructor(secret: string) {
    const seed = hkdfSync('sha256', secret, '', 'audit anchor', 32);
    this.key = createPrivateKey({
      key: Buffer.concat([PKCS8_HEAD, Buffer.from(seed)]),
      format: 'der',
      type: 'pkcs8',
    });
  }

  sign(unsigned: Omit<SignedAnchor, 'signature'>): SignedAnchor {
    const { number, hash, takenAt } = unsigned;
    const signature = sign(null, signedText(unsigned), this.key).toString('base64');
    return { number, hash, takenAt, signature };
  }

  isOurs(anchor: SignedAnchor): boolean {
    const signature = Buffer.from(anchor.signature, 'base64');
    return verify(null, signedText(anchor), createPublicKey(this.key), signature);
  }
}

function signedText({ number, hash, takenAt }: Omit<SignedAnchor, 'signature'>): Buffer {
  return Buffer.from(JSON.stringify(['audit anchor', number, hash, takenAt]));
}
