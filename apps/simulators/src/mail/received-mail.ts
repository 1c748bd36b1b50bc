/** A mail as its reader sees it. */
export interface ReceivedMail {
  id: string;
  to: string;
  subject: string;
  /** The plain text. */
  text: string;
}

/** Reads a message with a plain text part (RFC 5322, RFC 2045). `data` holds bytes as Latin-1 characters. */
export function parseMail(to: string, data: string): ReceivedMail {
  // A line that begins with a dot was sent with two (RFC 5321 §4.5.2).
  const message = data.replace(/^\.\./gm, '.');
  const [head, body] = headAndBody(message);
  const boundary = /boundary="?([^";\r\n]+)"?/i.exec(head)?.[1];
  const parts = boundary === undefined ? [message] : body.split(`--${boundary}`);
  const plain = parts.find((part) => /content-type: text\/plain/i.test(part)) ?? message;
  return {
    id: /^message-id:\s*<([^@>]+)/im.exec(head)?.[1] ?? '',
    to,
    subject: decodeWords(/^subject:\s*(.*)$/im.exec(unfolded(head))?.[1].trim() ?? ''),
    text: decodeBody(...headAndBody(plain.trimStart())).trimEnd(),
  };
}

function headAndBody(text: string): [head: string, body: string] {
  const end = text.indexOf('\r\n\r\n');
  return end < 0 ? [text, ''] : [text.slice(0, end), text.slice(end + 4)];
}

const unfolded = (head: string) => head.replace(/\r\n[ \t]+/g, ' ');

function decodeBody(head: string, body: string): string {
  const encoding = /content-transfer-encoding:\s*(\S+)/i.exec(head)?.[1].toLowerCase();
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : encoding === 'quoted-printable'
        ? quotedPrintable(body.replace(/=\r\n/g, ''))
        : Buffer.from(body, 'latin1');
  return bytes.toString('utf8').replaceAll('\r\n', '\n');
}

/** Encoded words of a header (RFC 2047); blanks between two of them are not part of the text. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, encoding: string, word: string) =>
      encoding.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : quotedPrintable(word.replaceAll('_', ' ')).toString('utf8'),
    );
}

function quotedPrintable(text: string): Buffer {
  const bytes = text.replace(/=([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1');
}
