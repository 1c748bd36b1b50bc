import type { Readable } from 'node:stream';
import { type ServiceName, ServiceUnavailable } from '#libs/platform';

/**
 * The objects of a service's lines of JSON, as they come. Not by `node:readline`: it ends the process when what it reads
 * is let go before its end.
 * @returns the one that says that nothing is missing.
 * @throws ServiceUnavailable when the lines break off before that one.
 */
export async function* jsonLines<Line extends object, End extends { isLast: true }>(
  stream: Readable,
  service: ServiceName,
): AsyncGenerator<Line, End> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const read = JSON.parse(line) as Line | End;
        if ('isLast' in read) return read;
        yield read;
      }
    }
  } catch (error) {
    throw new ServiceUnavailable(service, error);
  } finally {
    stream.destroy();
  }
  throw new ServiceUnavailable(service, new Error('the lines broke off'));
}
