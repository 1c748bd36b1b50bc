import { type KeyObject, createHash, createPublicKey, verify } from 'node:crypto';

/** A signed statement of a log about its size and root hash (C2SP tlog-checkpoint). */
export interface Checkpoint {
  origin: string;
  size: number;
  root: Buffer;
  /** The signatures by the log itself; signatures by witnesses are left out. */
  signatures: Signature[];
}

interface Signature {
  keyHash: Buffer;
  bytes: Buffer;
}

const CHECKPOINT =
  /^([^\n]+)\n(0|[1-9][0-9]{0,14})\n([A-Za-z0-9+/]{43}=)\n(?:[^\n]+\n)*\n((?:— [^ \n]+ [A-Za-z0-9+/]+=*\n)+)$/;
const KEY_HASH_BYTES = 4;
const RFC_6962_SIGNATURE = 5;
/** The fields `version` and `signature_type` of a tree head (RFC 6962 §3.5). */
const TREE_HEAD = Buffer.from([0, 1]);
/** The code of SHA-256 in TLS (RFC 5246 §7.4.1.4.1). */
const SHA256 = 4;
/** The codes of the signature algorithms in TLS, by Node's names of key types (RFC 5246 §7.4.1.4.1). */
const ALGORITHMS: Readonly<Record<string, number>> = { rsa: 1, ec: 3 };

/** Parses the text of a checkpoint. @returns undefined if the text is not a valid checkpoint. */
export function readCheckpoint(text: string): Checkpoint | undefined {
  const [, origin, size, root, lines] = CHECKPOINT.exec(text) ?? [];
  if (lines === undefined) return undefined;
  const signatures = lines.split('\n').flatMap((line) => {
    const [, name, signature] = line.split(' ');
    if (name !== origin) return [];
    const bytes = Buffer.from(signature, 'base64');
    return [{ keyHash: bytes.subarray(0, KEY_HASH_BYTES), bytes: bytes.subarray(KEY_HASH_BYTES) }];
  });
  return { origin, size: Number(size), root: Buffer.from(root, 'base64'), signatures };
}

/** Parses the public key of a log, in the format of log lists. @returns undefined for anything but an RSA or EC key. */
export function readLogKey(text: string): KeyObject | undefined {
  try {
    const key = createPublicKey({
      key: Buffer.from(text, 'base64'),
      format: 'der',
      type: 'spki',
    });
    return key.asymmetricKeyType! in ALGORITHMS ? key : undefined;
  } catch {
    return undefined;
  }
}

/** True if the log's key has signed the checkpoint, as required by the Static CT API (RFC6962NoteSignature). */
export function isSignedWith(key: KeyObject, checkpoint: Checkpoint): boolean {
  const logId = createHash('sha256').update(key.export({ format: 'der', type: 'spki' }));
  const keyHash = createHash('sha256')
    .update(`${checkpoint.origin}\n`)
    .update(Buffer.from([RFC_6962_SIGNATURE]))
    .update(logId.digest())
    .digest()
    .subarray(0, KEY_HASH_BYTES);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(checkpoint.size));
  return checkpoint.signatures.some((signature) => {
    const { bytes } = signature;
    if (!signature.keyHash.equals(keyHash) || bytes.length < 12) return false;
    const [time, hashAlgorithm, algorithm] = [bytes.subarray(0, 8), bytes[8], bytes[9]];
    const signed = bytes.subarray(12);
    const isKnown = hashAlgorithm === SHA256 && algorithm === ALGORITHMS[key.asymmetricKeyType!];
    if (!isKnown || bytes.readUInt16BE(10) !== signed.length) return false;
    return verify('sha256', Buffer.concat([TREE_HEAD, time, size, checkpoint.root]), key, signed);
  });
}
